# Comments of the headers in doxygen's form: "///" before a declaration, "///<" after it.
/^#ifndef WEFT_/,$ {
  /clang-format/d
  s@^( *)//( |$)@\1///\2@
  s@([;,{]) +// @\1  ///< @
}

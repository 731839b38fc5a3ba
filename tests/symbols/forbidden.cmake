# SPDX-License-Identifier: Apache-2.0
# cmake -DNM=<nm> -DARCHIVES=<a.a>,<b.a> -P forbidden.cmake: fails where a library needs a symbol that
# firmware must not need, or holds a static constructor.
set(needed "malloc|calloc|realloc|free|memalign|aligned_alloc|posix_memalign|reallocarray")  # the heap
string(APPEND needed "|_Zn[aw].*|_Zd[al].*")                            # operators new and delete
string(APPEND needed "|__cxa_.*|_Unwind_.*|__gxx_personality.*|_ZSt.*")  # exceptions, std's functions
string(APPEND needed "|_ZTI.*|__dynamic_cast")                           # RTTI
string(APPEND needed "|.*printf.*|puts|putchar|fputs|fputc|fwrite|fopen|stdin|stdout|stderr")

string(REPLACE "," ";" archives "${ARCHIVES}")
set(symbol_count 0)
set(faults "")
foreach(archive IN LISTS archives)
  execute_process(COMMAND "${NM}" "${archive}" OUTPUT_VARIABLE listing RESULT_VARIABLE result
                  ERROR_QUIET)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${NM} cannot read ${archive}")
  endif()
  get_filename_component(name "${archive}" NAME)
  string(REGEX REPLACE "[;[]" "?" listing "${listing}")
  string(REPLACE "\n" ";" lines "${listing}")
  foreach(line IN LISTS lines)
    if(line MATCHES " ([A-Za-z]) ([^ ]+)$")
      math(EXPR symbol_count "${symbol_count} + 1")
      set(kind "${CMAKE_MATCH_1}")
      set(symbol "${CMAKE_MATCH_2}")
      if(kind MATCHES "[Uw]" AND symbol MATCHES "^(${needed})$")
        list(APPEND faults "${name}: needs ${symbol}")
      elseif(symbol MATCHES "^_GLOBAL__(sub_)?I")
        list(APPEND faults "${name}: holds the static constructor ${symbol}")
      endif()
    endif()
  endforeach()
endforeach()
if(symbol_count LESS 100)
  message(FATAL_ERROR "${ARCHIVES}: only ${symbol_count} symbols were read; must be 100 or more")
endif()
if(faults)
  list(REMOVE_DUPLICATES faults)
  list(JOIN faults "\n" faults)
  message(FATAL_ERROR "${faults}")
endif()
message(STATUS "${symbol_count} symbols, none forbidden")

// SPDX-License-Identifier: Apache-2.0
// Words that generated headers must not use as global names or namespaces. C reserves the names of
// its library functions, also if their headers are not included. POSIX, Arduino and compilers
// define more names and macros.
#include <string_view>

#include "converter/emit/identifiers.h"

namespace weft::emit {
namespace {

// Each word is followed by a space.
constexpr std::string_view kKeywords =
    "alignas alignof and and_eq asm atomic_cancel atomic_commit atomic_noexcept auto bitand "
    "bitor bool break case catch char char16_t char32_t char8_t class co_await co_return "
    "co_yield compl concept const const_cast consteval constexpr constinit continue decltype "
    "default delete do double dynamic_cast else enum explicit export extern false float for "
    "friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator "
    "or or_eq private protected public reflexpr register reinterpret_cast requires restrict "
    "return short signed sizeof static static_assert static_cast struct switch synchronized "
    "template this thread_local throw true try typedef typeid typename typeof typeof_unqual "
    "union unsigned using virtual void volatile wchar_t while xor xor_eq ";

constexpr std::string_view kLibrary =
    "a64l abort abs accept access acct acos acosh alarm aligned_alloc alloca analogRead "
    "analogWrite asctime asin asinh assert at_quick_exit atan atan2 atanh atexit atof atoi atol "
    "atoll bcmp bcopy bind bitRead boolean brk bsearch btowc byte bzero cabs cacos call_once "
    "calloc carg casin catan cbrt ccos ceil cexp chdir chmod chown cimag clearerr clock clock_t "
    "clog close cnd_init complex conj connect constrain copysign cos cosh cpow cproj creal "
    "creat crypt csin csqrt ctan ctime daemon daylight degrees delay delayMicroseconds dev_t "
    "difftime digitalRead digitalWrite div div_t double_t dprintf drand48 drem dup dup2 dysize "
    "encrypt environ erf erfc errno execl execv exit exp exp10 exp2 expm1 fabs fclose fcntl "
    "fdim fdopen fenv_t feof ferror fflush ffs fgetc fgetpos fgets fileno finite float_t floor "
    "fma fmax fmin fmod fopen fork fpclassify fpos_t fprintf fputc fputs fread free freopen "
    "frexp fscanf fseek fsetpos fstat fsync ftell fwrite gamma getc getchar getcwd getdelim "
    "getenv gethostname getline getopt getpid gets getw gid_t gmtime highByte hypot I ilogb "
    "imaginary index infinity ino_t int16_t int32_t int64_t int8_t intmax_t intptr_t ioctl "
    "isalnum isalpha isascii isatty isblank iscntrl isdigit isfinite isgraph isgreater isinf "
    "isless islower isnan isnormal isprint ispunct isspace isunordered isupper iswalpha "
    "isxdigit j0 j1 jmp_buf jn kill l64a labs ldexp ldiv ldiv_t lgamma link listen llabs lldiv "
    "lldiv_t llrint llround localtime lockf log log10 log1p log2 logb longjmp lowByte lrint "
    "lround lseek lstat major malloc map max_align_t mblen mbstate_t mbstowcs mbtowc memccpy "
    "memchr memcmp memcpy memmem memmove memset micros millis minor mkdir mkfifo mknod mktime "
    "mode_t modf mount mtx_init nan nanosleep nearbyint nextafter nexttoward nice noreturn "
    "noTone nullptr_t off_t offsetof open optarg opterr optind optopt pause pclose perror pid_t "
    "pipe poll popen pow pow10 printf psignal ptrdiff_t putc putchar putenv puts putw qsort "
    "quick_exit radians raise rand random read readlink realloc realpath recv remainder remove "
    "remquo rename rewind rindex rint rmdir round sbrk scalb scalbln scalbn scanf select send "
    "setbuf setenv setjmp setvbuf shutdown sig_atomic_t sigaction signal signbit signgam "
    "significand sigset sin sincos sinh size_t sleep snprintf socket sprintf sq sqrt srand "
    "srandom sscanf ssize_t stat stderr stdin stdout strcasecmp strcat strchr strcmp strcoll "
    "strcpy strcspn strdup strerror strftime strlen strncat strncmp strncpy strndup strnlen "
    "strpbrk strrchr strsep strsignal strspn strstr strtod strtof strtok strtol strtold strtoll "
    "strtoul strtoull strxfrm swab symlink sync syscall system tan tanh tempnam tgamma "
    "thrd_create time time_t times timezone tm tmpfile tmpnam toascii tolower tone toupper "
    "towlower trunc truncate ttyname tzname tzset ualarm uchar uid_t uint uint16_t uint32_t "
    "uint64_t uint8_t uintmax_t uintptr_t ulong umask uname ungetc unlink unsetenv ushort "
    "usleep utime va_arg va_copy va_end va_list va_start valloc vfork vfprintf vhangup vprintf "
    "vscanf vsnprintf vsprintf wait waitpid wcscat wcschr wcscmp wcscpy wcslen wcstombs wctomb "
    "wint_t wmemcpy word wprintf write y0 y1 yield yn ";

// Macros of the C headers, of POSIX errors and signals, and of Arduino. IsFormatMacro has those
// of <inttypes.h>.
constexpr std::string_view kMacros =
    "ATOMIC_BOOL_LOCK_FREE ATOMIC_CHAR16_T_LOCK_FREE ATOMIC_CHAR32_T_LOCK_FREE "
    "ATOMIC_CHAR_LOCK_FREE ATOMIC_FLAG_INIT ATOMIC_INT_LOCK_FREE ATOMIC_LLONG_LOCK_FREE "
    "ATOMIC_LONG_LOCK_FREE ATOMIC_POINTER_LOCK_FREE ATOMIC_SHORT_LOCK_FREE ATOMIC_VAR_INIT "
    "ATOMIC_WCHAR_T_LOCK_FREE BUFSIZ CHAR_BIT CHAR_MAX CHAR_MIN CLOCKS_PER_SEC CMPLX CMPLXF "
    "CMPLXL DBL_DECIMAL_DIG DBL_DIG DBL_EPSILON DBL_HAS_SUBNORM DBL_MANT_DIG DBL_MAX "
    "DBL_MAX_10_EXP DBL_MAX_EXP DBL_MIN DBL_MIN_10_EXP DBL_MIN_EXP DBL_TRUE_MIN DEC DECIMAL_DIG "
    "E2BIG EACCES EADDRINUSE EADDRNOTAVAIL EADV EAFNOSUPPORT EAGAIN EALREADY EBADE EBADF EBADFD "
    "EBADMSG EBADR EBADRQC EBADSLT EBFONT EBUSY ECANCELED ECHILD ECHRNG ECOMM ECONNABORTED "
    "ECONNREFUSED ECONNRESET EDEADLK EDEADLOCK EDESTADDRREQ EDOM EDOTDOT EDQUOT EEXIST EFAULT "
    "EFBIG EHOSTDOWN EHOSTUNREACH EHWPOISON EIDRM EILSEQ EINPROGRESS EINTR EINVAL EIO EISCONN "
    "EISDIR EISNAM EKEYEXPIRED EKEYREJECTED EKEYREVOKED EL2HLT EL2NSYNC EL3HLT EL3RST ELIBACC "
    "ELIBBAD ELIBEXEC ELIBMAX ELIBSCN ELNRNG ELOOP EMEDIUMTYPE EMFILE EMLINK EMSGSIZE EMULTIHOP "
    "ENAMETOOLONG ENAVAIL ENETDOWN ENETRESET ENETUNREACH ENFILE ENOANO ENOBUFS ENOCSI ENODATA "
    "ENODEV ENOENT ENOEXEC ENOKEY ENOLCK ENOLINK ENOMEDIUM ENOMEM ENOMSG ENONET ENOPKG "
    "ENOPROTOOPT ENOSPC ENOSR ENOSTR ENOSYS ENOTBLK ENOTCONN ENOTDIR ENOTEMPTY ENOTNAM "
    "ENOTRECOVERABLE ENOTSOCK ENOTSUP ENOTTY ENOTUNIQ ENXIO EOPNOTSUPP EOVERFLOW EOWNERDEAD EPERM "
    "EPFNOSUPPORT EPIPE EPROTO EPROTONOSUPPORT EPROTOTYPE ERANGE EREMCHG EREMOTE EREMOTEIO "
    "ERESTART ERFKILL EROFS ESHUTDOWN ESOCKTNOSUPPORT ESPIPE ESRCH ESRMNT ESTALE ESTRPIPE ETIME "
    "ETIMEDOUT ETOOMANYREFS ETXTBSY EUCLEAN EUNATCH EUSERS EWOULDBLOCK EXDEV EXFULL EXIT_FAILURE "
    "EXIT_SUCCESS FALSE FE_ALL_EXCEPT FE_DFL_ENV FE_DIVBYZERO FE_DOWNWARD FE_INEXACT FE_INVALID "
    "FE_OVERFLOW FE_TONEAREST FE_TOWARDZERO FE_UNDERFLOW FE_UPWARD FILENAME_MAX FLT_DECIMAL_DIG "
    "FLT_DIG FLT_EPSILON FLT_EVAL_METHOD FLT_HAS_SUBNORM FLT_MANT_DIG FLT_MAX FLT_MAX_10_EXP "
    "FLT_MAX_EXP FLT_MIN FLT_MIN_10_EXP FLT_MIN_EXP FLT_RADIX FLT_ROUNDS FLT_TRUE_MIN FOPEN_MAX "
    "FP_ILOGB0 FP_ILOGBNAN FP_INFINITE FP_NAN FP_NORMAL FP_SUBNORMAL FP_ZERO HALF_PI HEX HIGH "
    "HUGE_VAL HUGE_VALF HUGE_VALL INFINITY INPUT INPUT_PULLUP INT16_C INT16_MAX INT16_MIN INT32_C "
    "INT32_MAX INT32_MIN INT64_C INT64_MAX INT64_MIN INT8_C INT8_MAX INT8_MIN INTMAX_C INTMAX_MAX "
    "INTMAX_MIN INTPTR_MAX INTPTR_MIN INT_FAST16_MAX INT_FAST16_MIN INT_FAST32_MAX INT_FAST32_MIN "
    "INT_FAST64_MAX INT_FAST64_MIN INT_FAST8_MAX INT_FAST8_MIN INT_LEAST16_MAX INT_LEAST16_MIN "
    "INT_LEAST32_MAX INT_LEAST32_MIN INT_LEAST64_MAX INT_LEAST64_MIN INT_LEAST8_MAX "
    "INT_LEAST8_MIN INT_MAX INT_MIN LC_ADDRESS LC_ALL LC_COLLATE LC_CTYPE LC_IDENTIFICATION "
    "LC_MEASUREMENT LC_MESSAGES LC_MONETARY LC_NAME LC_NUMERIC LC_PAPER LC_TELEPHONE LC_TIME "
    "LDBL_DECIMAL_DIG LDBL_DIG LDBL_EPSILON LDBL_HAS_SUBNORM LDBL_MANT_DIG LDBL_MAX "
    "LDBL_MAX_10_EXP LDBL_MAX_EXP LDBL_MIN LDBL_MIN_10_EXP LDBL_MIN_EXP LDBL_TRUE_MIN LLONG_MAX "
    "LLONG_MIN LONG_MAX LONG_MIN LOW L_tmpnam MATH_ERREXCEPT MATH_ERRNO MB_CUR_MAX MB_LEN_MAX "
    "M_1_PI M_2_PI M_2_SQRTPI M_E M_LN10 M_LN2 M_LOG10E M_LOG2E M_PI M_PI_2 M_PI_4 M_SQRT1_2 "
    "M_SQRT2 NAN OCT ONCE_FLAG_INIT OUTPUT PTRDIFF_MAX PTRDIFF_MIN RAND_MAX SCHAR_MAX SCHAR_MIN "
    "SEEK_CUR SEEK_END SEEK_SET SHRT_MAX SHRT_MIN SIGABRT SIGALRM SIGBUS SIGCHLD SIGCLD SIGCONT "
    "SIGFPE SIGHUP SIGILL SIGINT SIGIO SIGIOT SIGKILL SIGPIPE SIGPOLL SIGPROF SIGPWR SIGQUIT "
    "SIGRTMAX SIGRTMIN SIGSEGV SIGSTKFLT SIGSTOP SIGSYS SIGTERM SIGTRAP SIGTSTP SIGTTIN SIGTTOU "
    "SIGURG SIGUSR1 SIGUSR2 SIGVTALRM SIGWINCH SIGXCPU SIGXFSZ SIG_ATOMIC_MAX SIG_ATOMIC_MIN "
    "SIG_DFL SIG_ERR SIG_IGN SIZE_MAX TIME_UTC TMP_MAX TRUE TSS_DTOR_ITERATIONS TWO_PI UCHAR_MAX "
    "UINT16_C UINT16_MAX UINT32_C UINT32_MAX UINT64_C UINT64_MAX UINT8_C UINT8_MAX UINTMAX_C "
    "UINTMAX_MAX UINTPTR_MAX UINT_FAST16_MAX UINT_FAST32_MAX UINT_FAST64_MAX UINT_FAST8_MAX "
    "UINT_LEAST16_MAX UINT_LEAST32_MAX UINT_LEAST64_MAX UINT_LEAST8_MAX UINT_MAX ULLONG_MAX "
    "ULONG_MAX USHRT_MAX WCHAR_MAX WCHAR_MIN WEOF WINT_MAX WINT_MIN ";

// "sem", "shm" and "mq" because of sem_open, shm_open and mq_open.
constexpr std::string_view kSurroundings =
    "abi arm B0 B1 bit cxa DIR EOF F far FILE i386 interrupt linux loop main max min mips mq "
    "near NULL PI posix sem setup shm std sun unix ";

bool Has(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const size_t end = words.find(' ');
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(end + 1);
  }
  return false;
}

// PRId32, SCNuFAST8, PRIxMAX.
bool IsFormatMacro(std::string_view word) {
  if (!word.starts_with("PRI") && !word.starts_with("SCN")) return false;
  word.remove_prefix(3);
  if (word.empty() || std::string_view("diouxX").find(word[0]) == std::string_view::npos) {
    return false;
  }
  word.remove_prefix(1);
  for (const std::string_view start : {"LEAST", "FAST"}) {
    if (word.starts_with(start)) word.remove_prefix(start.size());
  }
  return Has("8 16 32 64 MAX PTR ", word);
}

}  // namespace

bool IsReservedWord(std::string_view word) {
  return Has(kKeywords, word) || Has(kLibrary, word) || Has(kMacros, word) || IsFormatMacro(word) ||
         Has(kSurroundings, word);
}

}  // namespace weft::emit

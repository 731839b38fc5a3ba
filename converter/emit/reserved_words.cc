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

}  // namespace

bool IsReservedWord(std::string_view word) {
  return Has(kKeywords, word) || Has(kLibrary, word) || Has(kSurroundings, word);
}

}  // namespace weft::emit

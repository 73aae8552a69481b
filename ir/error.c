/* The error domain; see norn/error.h. */
#include <norn/error.h>

/* The name is these characters, without blanks. */
/* clang-format off */
G_DEFINE_QUARK(norn-error-quark, norn_error)
/* clang-format on */

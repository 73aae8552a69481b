#include <norn/error.h>

G_DEFINE_QUARK(norn - error - quark, norn_error)

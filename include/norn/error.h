/* Errors of the library.
 *
 * Every function that can fail on its input takes a GError ** last (nullable). The domain is
 * NORN_ERROR, the code one of NornErrorCode. If the fault has a position in a text, the message
 * starts with "FILE:LINE:COLUMN: " (columns count bytes from 1), so printing the message is enough.
 * The message of a fault in an instruction that came from no text, as in a module that was built,
 * starts with the function, the block and the instruction as norn_module_print shows them
 * (shortened if long): "@main, block entry, '%0 = iadd.i32 %x, 1': ".
 *
 * Memory comes from GLib, which ends the process when none is left. But if an input or a launch
 * states a size as a number that exceeds a limit or the available memory, it is refused with
 * NORN_ERROR_LIMIT. */
#ifndef NORN_ERROR_H
#define NORN_ERROR_H

#include <glib.h>

/* Around the declarations that the library exports; everything else is hidden. */
#define NORN_BEGIN_DECLS G_BEGIN_DECLS _Pragma("GCC visibility push(default)")
#define NORN_END_DECLS _Pragma("GCC visibility pop") G_END_DECLS

NORN_BEGIN_DECLS

#define NORN_ERROR (norn_error_quark())

/* The codes of NORN_ERROR. */
typedef enum {
  NORN_ERROR_SYNTAX,      /* the text is not in the language */
  NORN_ERROR_INVALID,     /* it is, but breaks a rule of types, dominance, legality, hardware ... */
  NORN_ERROR_UNSUPPORTED, /* correct, but not supported by the target or architecture */
  NORN_ERROR_IO,          /* a file could not be read or written */
  NORN_ERROR_LIMIT,       /* a stated limit (size, steps, registers) is exceeded */
  NORN_ERROR_TRAP,        /* a simulated program did something illegal */
  NORN_ERROR_STOPPED,     /* an observer ended the run of a simulated program */
  NORN_ERROR_CANCELLED,   /* another thread asked to stop (norn/limits.h) */
} NornErrorCode;

/* The error domain. */
GQuark norn_error_quark(void);

/* The message with "..." in place of the middle of anything that is too long for one, such as a
 * name in the input that has a million letters. Words, which are separated by blanks and line ends,
 * get at most 300 bytes, lines at most 4000. Both keep their beginning and end, and UTF-8 stays
 * valid. The library shortens its own messages this way, except for file names at their start. Free
 * the result with g_free. */
char *norn_shorten_message(const char *message);

NORN_END_DECLS

#endif

/* Errors of the library.
 *
 * Every function that can fail on its input takes a GError ** last (nullable). The domain is
 * NORN_ERROR, the code one of NornErrorCode. Where the fault has a position in a text the message
 * starts with "FILE:LINE:COLUMN: " (columns count bytes from 1), so printing the message is enough.
 * A fault of an instruction that came from no text, as in a module that was built, starts with the
 * function, the block and the instruction as norn_module_print shows them (long ones cut):
 * "@main, block entry, "%0 = iadd.i32 %x, 1": ".
 *
 * Memory comes from GLib, which ends the process when there is none left. Sizes that an input or a
 * launch asks for in a number are refused with NORN_ERROR_LIMIT instead, where they exceed a limit
 * or the memory there is. */
#ifndef NORN_ERROR_H
#define NORN_ERROR_H

#include <glib.h>

/* Around what the library exports; all else stays inside. */
#define NORN_BEGIN_DECLS G_BEGIN_DECLS _Pragma("GCC visibility push(default)")
#define NORN_END_DECLS _Pragma("GCC visibility pop") G_END_DECLS

NORN_BEGIN_DECLS

#define NORN_ERROR (norn_error_quark())

/* The codes of NORN_ERROR. */
typedef enum {
  NORN_ERROR_SYNTAX,      /* the text is not in the language */
  NORN_ERROR_INVALID,     /* it is, but breaks a rule of types, dominance, legality, hardware ... */
  NORN_ERROR_UNSUPPORTED, /* correct, but the target or architecture lacks it */
  NORN_ERROR_IO,          /* a file could not be read or written */
  NORN_ERROR_LIMIT,       /* a stated limit (size, steps, registers) is exceeded */
  NORN_ERROR_TRAP,        /* a simulated program did what it must not do */
  NORN_ERROR_STOPPED,     /* an observer ended the run of a simulated program */
  NORN_ERROR_CANCELLED,   /* another thread asked for it (norn/limits.h) */
} NornErrorCode;

/* The error domain. */
GQuark norn_error_quark(void);

/* The message without the middle of what is too long for one, such as a name of the input that has
 * a million letters: "..." stands there. Words, which blanks and ends of lines part, get 300 bytes
 * at most, lines 4000; both keep their ends, and UTF-8 stays valid. The library's messages are
 * such, but for names of files in front. Free it with g_free. */
char *norn_shorten_message(const char *message);

NORN_END_DECLS

#endif

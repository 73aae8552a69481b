/* Parsed once instead of in every file, where the build has b_pch on (./dev demo): it includes what nearly all files
 * include themselves, and takes nothing off them. */
#include <glib.h>
#include <norn/ir.h>
#include <string.h>

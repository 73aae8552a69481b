/* Parsed once instead of in every file, where the build has b_pch on (./dev): it includes what
 * most files of the library include themselves, and takes nothing off them. */
#include "ir/ir.h"
#include "passes/pass.h"
#include <glib.h>
#include <norn/builder.h>
#include <norn/compile.h>
#include <string.h>

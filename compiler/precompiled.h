/* Precompiled header, used if the build has b_pch on (./dev): headers that most files of the
 * library include. Files still include what they need themselves. */
#include "ir/ir.h"
#include "passes/pass.h"
#include <glib.h>
#include <norn/builder.h>
#include <norn/compile.h>
#include <string.h>

/* The same as compiler/precompiled.h, for the files of the command. */
#include "common/json.h"
#include "tool.h"
#include <stdio.h>
#include <string.h>

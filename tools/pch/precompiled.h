/* As compiler/precompiled.h does, for the files of the command. */
#include "common/json.h"
#include "tool.h"
#include <stdio.h>
#include <string.h>

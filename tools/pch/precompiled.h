/* As compiler/precompiled.h does, for the files of the command. */
#include "../json.h"
#include "../tool.h"
#include <stdio.h>
#include <string.h>

/* The verbs of the command; one file for each. */
#include "lsp/lsp.h"
#include "reduce/reduce.h"
#include "run/spec.h"
#include "tool.h"

const ToolVerb tool_verbs[] = {
    {"compile", tool_compile, "[OPTIONS] IN", "Compile IR text or SPIR-V to machine code", 1, 1,
     tool_compile_details},
    {"check", tool_check, "[OPTIONS] IN",
     "Prove with independent checkers that finished code is correct", 0, 1},
    {"asm", tool_asm, "[OPTIONS] IN", "Assemble text to machine code", 1, 1},
    {"disasm", tool_disasm, "[OPTIONS] IN", "Disassemble machine code", 1, 1},
    {"opt", tool_opt, "[-p PASS,...] [OPTIONS] IN",
     "Run passes on IR text or SPIR-V and print the result", 1, 1},
    {"passes", tool_passes, "[OPTIONS]", "List the passes and the pipeline", 0, 0},
    {"fuzz", tool_fuzz, "[OPTIONS] [CORPUS ...]",
     "Test the compiler and the simulator on random modules", 0, TOOL_ANY_ARGUMENTS,
     tool_fuzz_details},
    {"help", tool_help, "[OPTIONS] [VERB]",
     "Show help for a verb; write manual pages and shell completions", 0, 1},
    {"isa", tool_isa, "[OPTIONS] [WORD ...]", "Describe instructions, or search them", 0,
     TOOL_ANY_ARGUMENTS},
    {"lsp", tool_lsp, "[OPTIONS]", "Serve editors: errors, meanings, names (language server)", 0, 0,
     tool_lsp_details},
    {"ops", tool_ops, "[OPTIONS] [WORD ...]",
     "Describe generic operations, or search their names and meanings", 0, TOOL_ANY_ARGUMENTS},
    {"reduce", tool_reduce, "[OPTIONS] IN",
     "Shrink a module that shows a bug, and name the pass that causes it", 1, 1,
     tool_reduce_details},
    {"report", tool_report, "[OPTIONS] IN",
     "Show on an HTML page how a shader became code and what it costs", 0, TOOL_ANY_ARGUMENTS},
    {"run", tool_run, "[OPTIONS] IN [NAME=VALUE ...]",
     "Run a program and print the final contents of buffers and images", 1, TOOL_ANY_ARGUMENTS,
     run_language},
    {"stats", tool_stats, "[OPTIONS] FILE|DIRECTORY ...",
     "Show what programs cost: instructions, cycles by unit, registers, waits", 0,
     TOOL_ANY_ARGUMENTS},
    {"test", tool_test, "[OPTIONS] [FILE|DIRECTORY ...]",
     "Run file tests, which have input and expectation in the same file", 0, TOOL_ANY_ARGUMENTS,
     tool_test_details},
    {NULL},
};

/* The public interface of Norn; this header includes all the others.
 *
 * Unless stated otherwise, a pointer must not be NULL, and a text ends in a zero byte. Arguments
 * stay the caller's and are not kept. Results that are const belong to the library and live as long
 * as the object that they were requested from. Errors are explained in norn/error.h, threads in
 * doc/embedding.md. */
#ifndef NORN_NORN_H
#define NORN_NORN_H

#include <norn/build.h>
#include <norn/builder.h>
#include <norn/check.h>
#include <norn/compile.h>
#include <norn/error.h>
#include <norn/interpret.h>
#include <norn/ir.h>
#include <norn/isa.h>
#include <norn/limits.h>
#include <norn/module.h>
#include <norn/nearest.h>
#include <norn/observe.h>
#include <norn/reduce.h>
#include <norn/registers.h>
#include <norn/simulate.h>
#include <norn/spirv.h>
#include <norn/statistics.h>

#endif

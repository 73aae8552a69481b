#!/usr/bin/env python3
"""Random GLSL compute shaders, whose results are also computed by Python.

  run.py NORN [--seed N] [--count N] [--keep DIRECTORY]
  run.py --write DIRECTORY [--seed N] [--count N]

Each program is written twice, statement by statement: as GLSL, which glslangValidator translates to SPIR-V, and as Python, in which an
invocation is a generator that yields at barriers and subgroup operations. `norn run --engine both` must leave the same contents in
the buffers as Python, at each level and for a random architecture. The languages share nothing: the front end's output, the reader,
the passes and both engines are compared with plain integers. --write creates modules of programs without subgroups, for other drivers.

The programs use integers of 8, 16, 32 and 64 bits, floats that stay exact, booleans, vectors with swizzles and dynamic components, arrays with
dynamic index, structures, functions with out and inout parameters and early returns, every form of loop with break and continue,
switches that fall through, conditional expressions, workgroup memory with barriers, also in loops, atomics, subgroup operations; a
uniform block and a storage block of structures, arrays and vectors with the std140 and std430 layouts, and a buffer of structures for stores.
"""
import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True  # the sources stay as they are
import values as python_values
from program import WORDS, Program
from values import Layout, round_up

SUBGROUP = 16


def answer(operation, values):
    """The result of a subgroup operation in each lane."""
    count = len(values)
    sums = [sum(values[:i]) & 0xFFFFFFFF for i in range(count + 1)]
    xor = 0
    for value in values:
        xor ^= value
    return {
        "sum": lambda i: sums[count], "xor": lambda i: xor, "max": lambda i: max(values), "before": lambda i: sums[i], "upto": lambda i: sums[i + 1],
        "first": lambda i: values[0], "ballot": lambda i: sum((value & 1) << k for k, value in enumerate(values)),
        "all": lambda i: int(all(value & 4 for value in values)), "swap": lambda i: values[i ^ 3],
    }[operation]


def evaluate(python, program, given, blocks):
    """The final contents of Results, Counters and Kept."""
    total = program.workgroup * program.groups
    results, counters, kept = [0] * (total * WORDS), [0] * 8, [None] * total
    space = dict(blocks)
    space |= {name: getattr(python_values, name) for name in ("wrap", "copy", "reverse_bits", "find_msb", "find_lsb", "divide")}
    exec(compile(python, "program", "exec"), space)
    for group in range(program.groups):
        lane = [0] * program.workgroup
        threads = [space["main"](group, local, given, results, counters, lane, kept) for local in range(program.workgroup)]
        asked = [next(thread) for thread in threads]
        while asked[0] != "end":
            sent = [None] * len(threads)
            for first in range(0, len(threads), SUBGROUP):
                part = asked[first:first + SUBGROUP]
                if part[0] is not None:
                    give = answer(part[0][0], [value for _, value in part])
                    sent[first:first + SUBGROUP] = [give(i) for i in range(len(part))]
            asked = [thread.send(value) for thread, value in zip(threads, sent)]
    return results, counters, kept


def words(values):
    return "u32[" + ", ".join(str(value) for value in values) + "]"


def try_program(norn, seed, folder):
    """What is wrong with the program for a seed, or None."""
    program = Program(seed)
    glsl, python = program.write()
    given = [program.random.choice([0, 1, 2, 7, 255, 0xFFFFFFFF, 0x80000000, program.random.getrandbits(32), program.random.randrange(64)])
             for _ in range(program.workgroup * program.groups * WORDS)]
    values = {name: program.draw(kind) for _, _, members in program.blocks for name, kind in members}
    results, counters, kept = evaluate(python, program, given, values)
    source, binary = folder / f"{seed}.comp", folder / f"{seed}.spv"
    source.write_text(glsl)
    made = subprocess.run(["glslangValidator", "-V", "--target-env", "spirv1.3", "-o", binary, source], capture_output=True, text=True)
    if made.returncode:
        return f"glslangValidator: {made.stdout}"
    architecture = program.random.choice([9, 10, 11, 12, 13, 14])
    arguments, expected = [], []
    counted = any("(counters[" in line for line in program.glsl)

    def give(name, text, after=None):
        arguments.append(f"{name}={text}")
        if after:
            expected.append(f"{name}={after}")

    give("Given", words(given))
    give("Results", f"u32[0; {len(results)}]", words(results))
    if counted:  # otherwise they are not declared
        give("Counters", "u32[0; 8]", words(counters))
    for block, is_std140, members in program.blocks:
        layout = Layout(program, is_std140)
        offsets, size = layout.places([kind for _, kind in members])
        data = bytearray(round_up(size, 16))
        for (name, kind), offset in zip(members, offsets):
            layout.pack(kind, values[name], data, offset)
        give(block, f"u8[{', '.join(map(str, data))}]")
    layout = Layout(program, False)
    program.structs["Stored"] = [("all", program.stored), ("last", "uint")]
    data = bytearray(len(kept) * layout.measure(f"Stored[{len(kept)}]")[0] // len(kept))
    layout.pack(f"Stored[{len(kept)}]", kept, data, 0)
    give("Kept", f"u8[0; {len(data)}]", f"u8[{', '.join(map(str, data))}]")
    run = [f"grid={program.groups}", *arguments, "=>", *expected]
    (folder / f"{seed}.run").write_text(" ".join(run) + "\n")
    for level in (0, 1, 2):
        command = [norn, "run", "-q", "--engine=both", f"-O{level}", f"--arch={architecture}", binary, *run]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        if done.returncode:
            return f"-O{level} --arch={architecture}: {done.stderr.strip()[:400]}"
    return None


def write_modules(folder, seeds):
    folder.mkdir(parents=True, exist_ok=True)
    for seed in seeds:
        source = folder / f"random-{seed}.comp"
        source.write_text(Program(seed, has_subgroups=False).write()[0])
        subprocess.run(["glslangValidator", "-V", "--target-env", "spirv1.3", "-o", f"{source}.spv", source], check=True, stdout=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("norn", nargs="?", help="the command")
    parser.add_argument("--write", type=Path, metavar="DIRECTORY", help="only make modules of the programs there")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--keep", type=Path, help="where to leave what is wrong")
    options = parser.parse_args()
    if options.write:
        write_modules(options.write, range(options.seed, options.seed + options.count))
        return 0
    if not options.norn:
        parser.error("the command norn is missing")
    wrong = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for seed in range(options.seed, options.seed + options.count):
            message = try_program(str(Path(options.norn).resolve()), seed, folder)
            if message:
                wrong += 1
                print(f"seed {seed}: {message}", flush=True)
                if options.keep:
                    options.keep.mkdir(parents=True, exist_ok=True)
                    for file in folder.glob(f"{seed}.*"):
                        (options.keep / file.name).write_bytes(file.read_bytes())
            for file in folder.glob(f"{seed}.*"):
                file.unlink()
    print(f"{options.count} programs from seed {options.seed}, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

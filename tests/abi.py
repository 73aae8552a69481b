#!/usr/bin/env python3
"""Properties that programs built against the last release depend on are unchanged: the library's name for the loader, its symbols
with their version, the sizes and members of the public types, and the values of constants. New ones may be added. Usage:
abi.py LIBRARY LIST SOURCE BUILD COMPILER...

With NORN_TEST_BLESS=1 the list is replaced with the current state. If lines are removed or changed, this breaks programs, so raise
the soname (soversion in meson.build, norn.map) as well if there has been a release since."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

library, listed, source, build = map(pathlib.Path, sys.argv[1:5])
compiler = sys.argv[5:]
SHOWN = 20


def output(*command, **more):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **more).stdout


flags = [f"-I{source / 'include'}", f"-I{build / 'include'}", *output("pkg-config", "--cflags", "glib-2.0").split()]
includes = "".join(f"#include <norn/{name}.h>\n" for name in ("norn", "build", "valhall", "gcn", "vp1"))


def members_of(body):
    """The names that a structure declares; those inside an inner structure count as part of its member."""
    while re.search(r"\{[^{}]*\}", body):
        body = re.sub(r"\{[^{}]*\}", " ", body)
    for declaration in body.split(";"):
        if pointer := re.search(r"\(\*(\w+)\)\s*\(", declaration):
            yield pointer[1]
            continue
        for part in declaration.split(","):
            if name := re.search(r"(\w+)\s*(\[[^]]*\]\s*)*$", part):
                yield name[1]


def write_program(out):
    """A program that prints the values of all constants, the sizes of types, and the sizes and offsets of members."""
    text = output(*compiler, "-E", "-P", *flags, "-x", "c", "-", input=includes)
    out.write(includes + "#include <stddef.h>\n#include <stdio.h>\nint\nmain(void) {\n")
    types = set()
    for body, name in re.findall(r"\benum(?:\s+\w+)?\s*\{([^{}]*)\}\s*(\w*)", text):
        if name.startswith("Norn"):
            types.add(name)
        constants = re.findall(r"(?:^|,)\s*(NORN_\w+)", body)
        for constant in constants:
            # Constants that count something may grow; an operation, field or enumeration may have such a name, too.
            if not (constant.endswith("_COUNT") and constant in (constants[-1], "NORN_OP_COUNT")):
                out.write(f'  printf("constant {constant} %lld\\n", (long long){constant});\n')
    for body, name in re.findall(r"\bstruct(?:\s+\w+)?\s*(\{(?:[^{}]|\{[^{}]*\})*\})\s*(Norn\w+)\s*;", text):
        types.add(name)
        for member in members_of(body[1:-1]):
            out.write(f'  printf("member {name}.{member} %zu %zu\\n", offsetof({name}, {member}), sizeof((({name} *)0)->{member}));\n')
    for name in types:
        out.write(f'  printf("size {name} %zu\\n", sizeof({name}));\n')
    out.write("  return sizeof(void *) == 8 ? 0 : 77;\n}\n")


def facts():
    with tempfile.TemporaryDirectory() as work:
        program = pathlib.Path(work) / "facts"
        with open(f"{program}.c", "w") as out:
            write_program(out)
        subprocess.run([*compiler, *flags, "-w", "-o", program, f"{program}.c"], check=True)
        ran = subprocess.run([program], stdout=subprocess.PIPE, text=True)
    if ran.returncode:
        print("not a machine with 64-bit pointers")
        sys.exit(ran.returncode)
    lines = ran.stdout.splitlines()
    lines += re.findall(r"\(SONAME\).*\[(.*)\]", output("readelf", "-d", library))
    lines[-1] = f"soname {lines[-1]}"
    symbols = output("nm", "--dynamic", "--defined-only", "--format=posix", library)
    return set(lines) | {f"symbol {name}" for name in re.findall(r"^(norn_\S+) ", symbols, re.M)}


now = facts()
for kind, least in {"constant": 2000, "member": 300, "size": 60, "soname": 1, "symbol": 100}.items():
    count = sum(line.startswith(kind + " ") for line in now)
    if count < least:
        sys.exit(f"found only {count} lines of '{kind}'")
if any(line.startswith("symbol ") and "@@NORN_" not in line for line in now):
    sys.exit("symbols without version")
if os.environ.get("NORN_TEST_BLESS") == "1":
    listed.write_text("".join(line + "\n" for line in sorted(now)))
lost = sorted(set(listed.read_text().splitlines()) - now)
if lost:
    print("Programs built against the last release rely on this, which is not so any more:")
    print("\n".join(lost[:SHOWN]) + (f"\n... {len(lost) - SHOWN} more" if len(lost) > SHOWN else ""))
    print("If there was no release since it came, or the soname is raised: NORN_TEST_BLESS=1 meson test -C build abi")
    sys.exit(1)

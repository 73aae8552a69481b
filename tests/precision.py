#!/usr/bin/env python3
"""GLSL functions are as accurate as Vulkan requires: on random numbers, in the interpreter and the simulator, compared with Python.

Usage: precision.py NORN; exit status 77 (skipped) if glslang is missing.
One shader computes all of them. The bounds are those of the table in Vulkan's specification ("Precision and operation of
SPIR-V instructions"); if a function inherits its precision from a formula, they are that of the formula."""

import math
import random
import shutil
import struct
import subprocess
import sys
import tempfile

COUNT = 256  # numbers for each function


def bits(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def single(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def ulp(value):
    return 2.0 ** (max(math.frexp(value)[1], -125) - 24)


def around(low, high):
    return lambda: random.uniform(low, high)


def powers(low, high):
    """Numbers of both signs, with all magnitudes between powers of 10."""
    return lambda: math.copysign(10 ** random.uniform(low, high), random.uniform(-1, 1))


def positive(low, high):
    return lambda: 10 ** random.uniform(low, high)


def ulps(count):
    return lambda exact, a, b: count * ulp(exact)


def absolute(bound):
    return lambda exact, a, b: bound


def of_logarithm(exact, a, b):
    return 2**-21 if 0.5 <= a <= 2 else 3 * ulp(exact)


def of_exponential(exact, a, b):
    return (3 + 2 * abs(a)) * ulp(exact)


def of_power(exact, a, b):
    """exp2(b * log2(a))"""
    exponent = b * math.log2(a)
    return (3 + 2 * abs(exponent)) * ulp(exact) + exact * math.log(2) * abs(b) * of_logarithm(math.log2(a), a, 0)


def of_hyperbolic(exact, a, b):
    """(exp(a) + or - exp(-a)) / 2"""
    return (4 + 2 * abs(a)) * ulp(math.cosh(a))


def of_tangent(exact, a, b):
    """sin(a) / cos(a)"""
    return 2**-11 * (1 + abs(exact)) / abs(math.cos(a)) + 3 * ulp(exact)


# The GLSL expression, the numbers a and b, the exact result, the allowed error.
FUNCTIONS = [
    ("sin(a)", around(-math.pi, math.pi), None, lambda a, b: math.sin(a), absolute(2**-11)),
    ("cos(a)", around(-math.pi, math.pi), None, lambda a, b: math.cos(a), absolute(2**-11)),
    ("tan(a)", around(-1.5, 1.5), None, lambda a, b: math.tan(a), of_tangent),
    ("asin(a)", around(-1, 1), None, lambda a, b: math.asin(a), ulps(4096)),
    ("acos(a)", around(-1, 1), None, lambda a, b: math.acos(a), ulps(4096)),
    ("atan(a)", powers(-10, 10), None, lambda a, b: math.atan(a), ulps(4096)),
    ("atan(a, b)", powers(-10, 10), powers(-10, 10), lambda a, b: math.atan2(a, b), ulps(4096)),
    ("sinh(a)", around(-80, 80), None, lambda a, b: math.sinh(a), of_hyperbolic),
    ("cosh(a)", around(-80, 80), None, lambda a, b: math.cosh(a), of_hyperbolic),
    ("tanh(a)", around(-100, 100), None, lambda a, b: math.tanh(a), absolute(2**-18)),
    ("asinh(a)", around(-1000, 1000), None, lambda a, b: math.asinh(a), absolute(2**-19)),
    ("acosh(a)", around(2, 1000), None, lambda a, b: math.acosh(a), absolute(2**-19)),
    ("atanh(a)", around(-0.99, 0.99), None, lambda a, b: math.atanh(a), absolute(2**-19)),
    ("exp(a)", around(-80, 80), None, lambda a, b: math.exp(a), of_exponential),
    ("exp2(a)", around(-120, 120), None, lambda a, b: 2**a, of_exponential),
    ("log(a)", positive(-37, 37), None, lambda a, b: math.log(a), of_logarithm),
    ("log(a)", around(0.5, 2), None, lambda a, b: math.log(a), of_logarithm),
    ("log2(a)", positive(-37, 37), None, lambda a, b: math.log2(a), of_logarithm),
    ("pow(a, b)", positive(-2, 2), around(-10, 10), lambda a, b: a**b, of_power),
    ("sqrt(a)", positive(-37, 37), None, lambda a, b: math.sqrt(a), ulps(5)),
    ("inversesqrt(a)", positive(-37, 37), None, lambda a, b: 1 / math.sqrt(a), ulps(2)),
    ("a / b", powers(-10, 10), powers(-10, 10), lambda a, b: a / b, ulps(2.5)),
    ("mod(a, b)", around(-100, 100), around(3, 9), lambda a, b: a - b * math.floor(a / b), absolute(2**-15)),
    ("fract(a)", around(-100, 100), None, lambda a, b: a - math.floor(a), absolute(2**-22)),
    ("mix(a, b, 0.25)", around(-9, 9), around(-9, 9), lambda a, b: 0.75 * a + 0.25 * b, absolute(2**-19)),
    ("radians(a)", powers(-10, 10), None, lambda a, b: math.radians(a), ulps(2)),
    ("degrees(a)", powers(-10, 10), None, lambda a, b: math.degrees(a), ulps(2)),
    ("length(vec2(a, b))", powers(-3, 3), powers(-3, 3), lambda a, b: math.hypot(a, b), ulps(8)),
    ("distance(vec2(a, 0), vec2(0, b))", powers(-3, 3), powers(-3, 3), lambda a, b: math.hypot(a, b), ulps(8)),
    ("normalize(vec2(a, b)).x", powers(-3, 3), powers(-3, 3), lambda a, b: a / math.hypot(a, b), ulps(10)),
    ("smoothstep(-1.0, 2.0, a)", around(-1, 2), None, lambda a, b: ((a + 1) / 3) ** 2 * (3 - 2 * (a + 1) / 3), absolute(2**-19)),
    ("ldexp(a, int(b))", powers(-3, 3), around(-60, 60), lambda a, b: a * 2.0 ** math.trunc(b), absolute(0)),
    ("roundEven(a)", around(-99, 99), None, lambda a, b: float(round(a)), absolute(0)),
    ("roundEven(floor(a) + 0.5)", around(-99, 99), None, lambda a, b: float(round(math.floor(a) + 0.5)), absolute(0)),
    ("trunc(a)", around(-99, 99), None, lambda a, b: float(math.trunc(a)), absolute(0)),
]


def shader():
    lines = ["#version 450", "layout(local_size_x = 64) in;", "layout(binding = 0) buffer X { float x[]; };",
             "layout(binding = 1) buffer Y { float y[]; };", "void main() {", "uint i = gl_GlobalInvocationID.x;", "float a, b;"]
    for number, row in enumerate(FUNCTIONS):
        at = f"{number * COUNT}u + i"
        lines.append(f"a = x[2u * ({at})]; b = x[2u * ({at}) + 1u]; y[{at}] = {row[0]};")
    return "\n".join(lines + ["}"])


def compute(norn, folder, engine, numbers):
    words = ", ".join(hex(bits(value)) for pair in numbers for value in pair)
    with open(f"{folder}/runs", "w", encoding="ascii") as runs:
        runs.write(f"; run: grid={COUNT // 64} X=i32[{words}] Y=i32[0; {len(numbers)}]\n")
    command = [norn, "run", f"{folder}/all.spv", "--engine", engine, "--runs", f"{folder}/runs"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [line for line in run.stdout.splitlines() if line.startswith("Y=i32[")]
    if not lines:
        sys.exit(run.stderr[:1000])
    return [struct.unpack("<f", struct.pack("<I", int(word) & 0xFFFFFFFF))[0] for word in lines[0][6:-1].split(", ")]


def worst_of(row, numbers, results):
    """The largest error, as a fraction of the allowed one, and where it is."""
    worst, where = 0.0, None
    for (a, b), result in zip(numbers, results):
        exact = row[3](a, b)
        error, allowed = abs(result - exact), row[4](exact, a, b)
        part = error / allowed if allowed else (math.inf if error else 0.0)
        if not part <= worst:
            worst, where = part, f"a={a!r} b={b!r}: {result!r}, exact {exact!r}"
    return worst, where


def main():
    if not shutil.which("glslangValidator"):
        print("glslangValidator is missing")
        return 77
    random.seed(1)
    numbers = [(single(row[1]()), single(row[2]()) if row[2] else 0.0) for row in FUNCTIONS for _ in range(COUNT)]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/all.comp", "w", encoding="ascii") as source:
            source.write(shader())
        subprocess.run(["glslangValidator", "-V", f"{folder}/all.comp", "-o", f"{folder}/all.spv"], check=True, stdout=subprocess.DEVNULL)
        for engine in ("interpreter", "simulator"):
            results = compute(sys.argv[1], folder, engine, numbers)
            for number, row in enumerate(FUNCTIONS):
                part = slice(number * COUNT, (number + 1) * COUNT)
                worst, where = worst_of(row, numbers[part], results[part])
                if not worst <= 1:
                    failed += 1
                    print(f"FAILED: {row[0]} in the {engine}: {worst:.3g} of what is allowed at {where}")
    print(f"{2 * len(FUNCTIONS) - failed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())

#!/usr/bin/env python3
"""Counts Valhall assembly like another compiler's reports, using only its text.

    count.py TABLE ARCHITECTURE FILE.s            prints NAME VALUE lines
    count.py TABLE ARCHITECTURE FILE.s OUT.json   compares with the only program of `norn stats --format json`

Does not use Norn's descriptions: units come from Arm's table of instructions (TABLE, tests/oracle/mali-isa-v9-v14.tsv),
messages from the lists below. A 64-bit result counts twice, a varying by its number of 16-bit components, a texture or
memory access once.
"""
import json
import re
import sys

# Norn's names for instructions with other names in Arm's table.
NAMES = {"BRANCHZ": "BRANCH", "BRANCHZI": "JUMP", "CUBEFACE2_V9": "CUBEFACE2", "FMA_RSCALE_N": "FMA_RSCALE",
         "SHADDX": "SHADD"}
UNLISTED = {"IMULD": "sfu"}  # not in the table
MESSAGES = [
    (r"(LOAD|STORE|ATOM\d?(_RETURN)?|LD_(ATTR|TEX|BUFFER|CVT)(_IMM)?|LEA_(ATTR|TEX|BUF|BUFFER)(_IMM)?|ST_CVT)$", "ls"),
    (r"LD_VAR", "v"),
    (r"TEX_", "t"),
    (r"VAR_TEX", "vt"),
    (r"(ATEST|BARRIER|BLEND|LD_TILE|ST_TILE|ZS_EMIT)$", "none"),
]
RATES = {"fma": 64, "cvt": 64, "sfu": 16, "v": 16, "t": 4, "ls": 1}
HALF_FILE = set(range(16)) | set(range(48, 64))
NARROW = re.compile(r"\.(v2|v4)[fius]\d+$|\.[fius](8|16)$")
PAIR = re.compile(r"\.[fius]64$")


def read_units(path, architecture):
    units = {name: {unit} for name, unit in UNLISTED.items()}
    with open(path, encoding="utf-8") as file:
        for line in file:
            name, _, _, unit, since, until = (line.split("\t") + [""] * 6)[:6]
            if since.isdigit() and int(since) <= architecture <= int(until) and unit != "msg":
                units.setdefault(name, set()).add(unit)
    return units


class Line:
    """One instruction: its name, the parts of its mnemonic, its operands."""

    def __init__(self, text):
        mnemonic, _, operands = text.partition(" ")
        self.parts = mnemonic.split(".")
        self.name = self.parts[0]
        self.operands = [operand.strip() for operand in operands.split(",")] if operands.strip() else []

    def unit(self, units):
        for pattern, unit in MESSAGES:
            if re.match(pattern, self.name):
                return unit
        found = units.get(NAMES.get(self.name, self.name))
        if not found or len(found) != 1:
            sys.exit(f"count.py: {self.name} has no single unit: {found}")
        return next(iter(found))

    def is_pair(self):
        """Whether the type after the name has 64 bits."""
        return len(self.parts) > 1 and PAIR.fullmatch("." + self.parts[1]) is not None

    def is_narrow(self):
        """Whether it computes on lanes of at most 16 bits; for a conversion, the name says so."""
        first = self.parts[1] if len(self.parts) > 1 else ""
        return NARROW.fullmatch("." + first) is not None or re.match(r"[FSU](8|16)_TO_", self.name) is not None

    def components(self):
        return next((int(part[1]) for part in self.parts if re.fullmatch(r"v[234]", part)), 1)

    def varying_size(self):
        """The number of 16-bit components that the interpolator computes."""
        bits = 16 if "f16" in self.parts else 32
        return self.components() * bits // 16

    def cost(self, unit):
        if unit == "v":
            return self.varying_size()
        return 2 if unit in ("fma", "cvt", "sfu") and self.is_pair() else 1

    def registers(self):
        """The registers that it names, including the second halves of pairs."""
        found = set()
        for k, operand in enumerate(self.operands):
            numbers = [int(number) for number in re.findall(r"\br(\d+)", operand)]
            found.update(number + (".w1" in operand) for number in numbers)
            if len(numbers) == 1 and self.names_pair(k, operand):
                found.add(numbers[0] + 1)
        return found

    def names_pair(self, k, operand):
        if "@" in operand or ".w" in operand or re.search(r"\.[bh]\d", operand):
            return False
        if re.match(r"(LOAD|STORE|ATOM|ST_CVT|LD_CVT|TEX_|VAR_TEX)", self.name):
            return True  # an address or a resource
        if self.name == "BLEND":
            return k == 1
        if k == 0 or self.name.startswith("SHADD") and k == 1:
            return self.is_pair()
        return self.is_pair() and self.name in ("IADD", "ISUB", "IMUL", "CLPER") or (self.is_pair() and k != 2)


def count(lines, units):
    labels, instructions = {}, []
    for text in lines:
        text = text.strip()
        if text.endswith(":"):
            labels[text[:-1]] = len(instructions)
        elif text and not text.startswith((".quad 0x0000000000000000", ";", "//")):
            instructions.append(Line(text))
    costs, counts, headers, registers, words = dict.fromkeys(RATES, 0), dict.fromkeys(RATES, 0), set(), set(), 0
    result = dict.fromkeys(["waits", "nops", "moves", "constant_moves", "branches", "messages", "arithmetic", "narrow"], 0)
    for at, line in enumerate(instructions):
        unit = line.unit(units)
        if unit in counts:
            counts[unit] += 1
            costs[unit] += line.cost(unit)
        elif unit == "vt":
            costs["v"] += 4
            costs["t"] += 1
        result["waits"] += any(part.startswith("wait") for part in line.parts)
        result["nops"] += line.name == "NOP"
        result["moves"] += line.name == "MOV"
        result["constant_moves"] += line.parts[:2] == ["IADD_IMM", "i32"] and line.operands[1] == "0x0"
        result["branches"] += line.name in ("BRANCHZ", "BRANCHZI")
        result["messages"] += unit not in ("fma", "cvt", "sfu")
        if unit in ("fma", "cvt", "sfu"):
            result["arithmetic"] += 1
            result["narrow"] += line.is_narrow()
        if line.name.startswith("BRANCHZ") and labels.get(line.operands[-1], at + 1) <= at:
            headers.add(line.operands[-1])
        registers |= line.registers()
    result["instructions"] = len(instructions)
    result["loops"] = len(headers)
    result["threads"] = 2 if registers <= HALF_FILE else 1
    result["work_registers"] = max(registers, default=-1) + 1
    for unit, rate in RATES.items():
        result[unit + ".instructions"] = counts[unit]
        result[unit + ".total"] = costs[unit] / rate
    result["cycles"] = max(costs[unit] / rate for unit, rate in RATES.items())
    return result


def compare(result, path):
    with open(path, encoding="utf-8") as file:
        programs = json.load(file)["programs"]
    if len(programs) != 1 or "error" in programs[0]:
        sys.exit(f"count.py: {path} does not hold one program")
    same = True
    for name, value in result.items():
        unit, _, figure = name.partition(".")
        got = programs[0]["units"][unit][figure] if figure else programs[0].get(name)
        if got is None or abs(got - value) > 1e-9:
            print(f"{name} is {got}, the text has {value}")
            same = False
    return same


def main():
    units = read_units(sys.argv[1], int(sys.argv[2]))
    with open(sys.argv[3], encoding="utf-8") as file:
        result = count(file, units)
    if len(sys.argv) > 4:
        sys.exit(0 if compare(result, sys.argv[4]) else 1)
    for name, value in result.items():
        print(name, f"{value:g}")


if __name__ == "__main__":
    main()

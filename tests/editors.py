#!/usr/bin/env python3
"""The colors of editors, compared with the tables: each operation of the IR and each instruction of each set is colored as
one, in Vim's patterns and in TextMate's, and so are the types, values and comments of the examples.
Usage: editors.py NORN SOURCE"""
import json
import pathlib
import re
import subprocess
import sys

norn, source = sys.argv[1], pathlib.Path(sys.argv[2])
extras = source / "extras"
failed = 0


def fail(text):
    global failed
    failed += 1
    print("FAILED:", text)


def textmate(name):
    """The rules of a grammar in order: name of the color, pattern."""
    grammar = json.loads((extras / f"textmate/{name}.tmLanguage.json").read_text())
    # Python only supports lookbehind of fixed width; a lookbehind of several widths becomes several of one width.
    rules = []
    for rule in grammar["patterns"]:
        match = re.sub(r"\(\?<=([^)]*)\)", lambda m: "(?:" + "|".join(f"(?<={part})" for part in m[1].split("|")) + ")", rule["match"])
        rules.append((rule["name"].split(".")[0:3], re.compile(match)))
    return rules


def vim(name):
    """The matches of a syntax file; the last one wins where several begin."""
    rules = []
    for line in (extras / f"vim/syntax/{name}.vim").read_text().splitlines():
        found = re.match(r"syn match (\w+) /(.*)/( contained)?", line)
        if not found or found[3]:
            continue
        rest = found[2]
        rest = re.sub(r"\\\(\^\\s\\\+\\\|=\\s\*\\\)\\@<=", r"(?:(?<=^  )|(?<== )|(?<==))", rest)
        end = rest.find(r"\ze")
        if end >= 0:
            rest = rest[:end] + "(?=" + rest[end + 3:] + ")"
        # Converts Vim's magic to Python's: an escaped character is an operator, a plain one is a letter.
        if not rest.startswith("(?:(?<="):
            rest = convert(rest)
        else:
            head = r"(?:(?<=^  )|(?<== )|(?<==))"
            rest = head + convert(rest[len(head):])
        rules.append((found[1], re.compile(rest)))
    rules.reverse()
    return rules


def convert(text):
    look = text.find("(?=")
    tail = ""
    if look >= 0:
        text, tail = text[:look], text[look + 3:-1]
    swap = {"\\(": "(", "\\)": ")", "\\|": "|", "\\+": "+", "\\?": "?", "(": "\\(", ")": "\\)", "|": "\\|", "+": "\\+", "?": "\\?",
            "\\<": r"\b", "\\>": r"\b", "\\/": "/"}
    plain = lambda part: re.sub(r"\[[^]]*\]|\\.|[()|+?]", lambda m: swap.get(m[0], m[0]), part)
    return plain(text) + (f"(?={plain(tail)})" if tail else "")


def color(rules, line, at):
    """The color of the character: the rules are applied in order, from left to right, as in editors."""
    position = 0
    while position < len(line):
        best = None
        for name, pattern in rules:
            found = pattern.search(line, position)
            if found and found.end() > found.start() and (best is None or found.start() < best[1].start()):
                best = (name, found)
        if best is None or best[1].start() > at:
            return None
        if at < best[1].end():
            return best[0]
        position = best[1].end()
    return None


def run(*arguments):
    return subprocess.run([norn, *arguments], check=True, capture_output=True, text=True).stdout


operations = [one["name"] for one in json.loads(run("ops", "--format", "json"))["operations"]]
if len(operations) < 150:
    fail(f"only {len(operations)} operations")
grammars = {"textmate": (textmate("norn"), textmate("nornasm")), "vim": (vim("norn"), vim("nornasm"))}
wanted_operation = {"textmate": ["keyword", "operator", "word"], "vim": "nornOperation"}
wanted_instruction = {"textmate": ["keyword", "operator", "word"], "vim": "nornasmInstruction"}
for editor, (ir, assembly) in grammars.items():
    for operation in operations:
        for line in (f"  %x = {operation}.i32 %y", f"  {operation} %y"):
            at = line.index(operation)
            for place in (at, at + len(operation) - 1):
                if color(ir, line, place) != wanted_operation[editor]:
                    fail(f"{editor}: operation {operation} in '{line}' is {color(ir, line, place)}")
    for isa in ("valhall", "gcn", "vp1"):
        names = run("isa", "--target", isa).split()
        if len(names) < 20:
            fail(f"{isa}: only {len(names)} instructions")
        for name in names:
            for place in (0, len(name) - 1):
                if color(assembly, f"{name} r0, r1", place) != wanted_instruction[editor]:
                    fail(f"{editor}: instruction {name} of {isa} is {color(assembly, f'{name} r0', place)}")
    # A line of each kind, with the expected color below each character.
    lines = {
        "  %r = fma.f32 fau.a, %xv, 0x10 ; note": {"%r": "variable nornValue", "fau.a": "variable nornUniform",
                                                  "0x10": "constant nornNumber", "note": "comment nornComment"},
        "shader compute @saxpy workgroup(16, 1, 1) {": {"shader": "keyword nornDeclaration", "@saxpy": "entity nornGlobal",
                                                        "workgroup": "keyword nornAttribute", "16": "constant nornNumber"},
        "  fau x: i64 @ 0": {"fau": "keyword nornDeclaration", "i64": "storage nornType"},
        "  data i32 0x10": {"data": "keyword nornDeclaration", "0x10": "constant nornNumber"},
        "loop(%k: i32):": {"loop": "entity nornLabel"},
    }
    for line, parts in lines.items():
        for part, names in parts.items():
            got = color(ir, line, line.index(part))
            if (got and got[0] if editor == "textmate" else got) not in names.split():
                fail(f"{editor}: '{part}' in '{line}' is {got}")
for file in extras.glob("textmate/*.json"):
    json.loads(file.read_text())
sys.exit(1 if failed else 0)

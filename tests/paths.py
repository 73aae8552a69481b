#!/usr/bin/env python3
"""The files of the source tree that comments and documents name exist. Usage: paths.py SOURCE"""
import pathlib
import re
import sys

source = pathlib.Path(sys.argv[1]).resolve()
folders = ["bench", "check", "compiler", "doc", "examples", "extras", "fuzz", "include", "ir", "isa", "passes", "report", "sim", "spirv", "tests", "tools"]
# A name in capital letters is a placeholder.
named = re.compile(rf"(?<![\w./-])(?:{'|'.join(folders)})/[a-z0-9_./-]*\w\.(?:[ch]|def|md|norn|py|sh|txt|xml)\b")
files = sorted(path for folder in folders for path in (source / folder).rglob("*") if path.suffix in (".c", ".h", ".def", ".md"))
failed = count = 0
for path in files + [source / "README.md", source / "CONTRIBUTING.md"]:
    text = path.read_text()
    if path.suffix != ".md":  # only the comments of code; other text keeps its lines
        text = re.sub(r"(/\*.*?\*/)|[^\n]", lambda match: match[1] or "", text, flags=re.S)
    for match in named.finditer(text):
        count += 1
        if not any((folder / match[0]).exists() for folder in (source, path.parent)):
            line = text.count("\n", 0, match.start()) + 1
            print(f"{path.relative_to(source)}:{line}: there is no {match[0]}")
            failed += 1
if count < 200:
    print(f"found only {count} paths")
    failed += 1
sys.exit(failed != 0)

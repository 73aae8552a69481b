#!/usr/bin/env python3
"""The links in all Markdown files lead to existing files and headings, and lines of text that could be wrapped have at
most 120 characters. Usage: links.py SOURCE"""
import pathlib
import re
import sys

source = pathlib.Path(sys.argv[1]).resolve()
files = [path for path in source.rglob("*.md") if not any(part.startswith(("build", ".")) for part in path.relative_to(source).parts)]


def anchors(path):
    """The anchors of the headings of a file, as on GitHub and on the documentation site."""
    text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.S | re.M)
    names = []
    for title in re.findall(r"^#+ (.*)$", text, re.M):
        title = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title)
        name = re.sub(r"[^\w\- ]", "", title.lower().strip()).replace(" ", "-")
        names.append(name if name not in names else f"{name}-{names.count(name)}")
    return names


def long_lines(path):
    """The numbers of the lines that are too long, other than code and tables."""
    is_code = False
    for number, line in enumerate(path.read_text().split("\n"), 1):
        is_code ^= line.lstrip().startswith("```")
        if len(line) > 120 and not is_code and not line.lstrip().startswith("|"):
            yield number


failed = count = 0
for path in files:
    for number in long_lines(path):
        print(f"{path.relative_to(source)}:{number}: more than 120 characters")
        failed += 1
    text = re.sub(r"^```.*?^```|`[^`\n]*`", "", path.read_text(), flags=re.S | re.M)
    for to in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", to):
            continue
        count += 1
        file, _, anchor = to.partition("#")
        target = (path.parent / file).resolve() if file else path
        if not target.exists():
            print(f"{path.relative_to(source)}: '{to}' leads nowhere")
        elif anchor and (target.suffix != ".md" or anchor not in anchors(target)):
            print(f"{path.relative_to(source)}: '{to}': no such heading")
        else:
            continue
        failed += 1
if len(files) < 15 or count < 80:
    print(f"found only {len(files)} files and {count} links")
    failed += 1
sys.exit(failed > 0)

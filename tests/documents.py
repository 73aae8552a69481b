#!/usr/bin/env python3
"""The commands in the documents work as typed from the checkout, and print what the documents show.
Usage: documents.py NORN SOURCE [DOCUMENT ...]; with NORN_TEST_BLESS=1 the documents are updated with the current output.

In a block of Markdown that begins with
  ```console       each line after '$ ' is a command; the lines below are its output, including standard error. A line '...'
                   stands for any lines, '...' within a line for any text
  ```sh            each command succeeds; its output is not compared
  ```sh untested   nothing is run: it takes hours, or needs something of the reader's; renderers only use the first word
Each document has its own folder, which looks like a checkout in which the command was built by ./dev demo. A file that a
document tells its reader to write is a block ```norn NAME."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

norn, source = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
named = sys.argv[3:] or sorted(str(p.relative_to(source)) for p in [*source.glob("*.md"), *source.glob("doc/*.md"), source / "extras/README.md"])
BLESS = os.environ.get("NORN_TEST_BLESS") == "1"
FENCE = re.compile(r"^```(\S*)[ ]?(.*)$")


class Block:
    def __init__(self, line, language, words):
        self.line, self.language, self.words, self.lines = line, language, words, []


def blocks_of(text):
    """The fenced blocks; `line` is the index of the first line inside."""
    block = None
    for index, line in enumerate(text.split("\n")):
        fence = FENCE.match(line)
        if block is None and fence:
            block = Block(index + 1, fence[1], fence[2].split())
        elif block is not None and line == "```":
            yield block
            block = None
        elif block is not None:
            block.lines.append(line)


def commands_of(block):
    """(command, expected output, or None for any)."""
    found = []
    if block.language == "console":
        for line in block.lines:
            if line.startswith("$ "):
                found.append(([line[2:]], []))
            elif line.startswith("> ") and found and not found[-1][1]:
                found[-1][0].append(line[2:])
            elif found:
                found[-1][1].append(line)
        return [("\n".join(command), printed) for command, printed in found]
    text = re.sub(r"\\\n\s*", "", "\n".join(block.lines))
    return [(line, None) for line in text.split("\n") if line.strip() and not line.startswith("#")]


def pattern(line):
    return ".*".join(re.escape(part) for part in line.rstrip().split("..."))


def fits(wanted, printed):
    """Whether the lines match those of the document."""
    expression = "".join(r"(?:[^\n]*\n)*" if line.strip() == "..." else pattern(line) + r"[ ]*\n" for line in wanted)
    return re.fullmatch(expression, "".join(line + "\n" for line in printed)) is not None


def checkout(folder):
    """The files that a reader has after ./dev demo."""
    for name in ("examples", "bench", "doc", "extras", "tests", "README.md"):
        (folder / name).symlink_to(source / name)
    tools = folder / "build-demo/tools"
    tools.mkdir(parents=True)
    (tools / "norn").symlink_to(norn)
    return {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "NORN_CHECK": ""}


def run(commands, folder, environment, out):
    """Runs the commands in one shell; returns the status and output of each."""
    script = "cd \"$1\"\n"
    for index, (command, _) in enumerate(commands):
        script += f"{{ {command}\n}} >\"$2/{index}.out\" 2>&1 </dev/null\necho $? >\"$2/{index}.status\"\n"
    subprocess.run(["bash", "-c", script, "bash", folder, out], env=environment, check=False, timeout=120)
    for index in range(len(commands)):
        status, text = out / f"{index}.status", out / f"{index}.out"
        yield (int(status.read_text()) if status.exists() else -1,
               text.read_text(errors="replace").removesuffix("\n").split("\n") if text.exists() and text.stat().st_size else [])


def check(path):
    """How many commands were run, and how many of them failed."""
    text = (source / path).read_text()
    lines, failed, commands = text.split("\n"), 0, []
    with tempfile.TemporaryDirectory() as work:
        folder, out = pathlib.Path(work) / "norn", pathlib.Path(work) / "out"
        folder.mkdir()
        out.mkdir()
        environment = checkout(folder)
        of_block = []
        for block in blocks_of(text):
            if block.words and block.words[0] != "untested":
                (folder / block.words[0]).write_text("\n".join(block.lines) + "\n")
            if block.language in ("sh", "console") and "untested" not in block.words:
                of_block += [(block, pair) for pair in commands_of(block)]
        commands = [pair for _, pair in of_block]
        edits = []
        for (block, (command, wanted)), (status, printed) in zip(of_block, run(commands, folder, environment, out)):
            shows_failure = block.language == "console" and "fails" in block.words
            if (status != 0) != shows_failure:
                failed += 1
                print(f"{path}:{block.line}: '{command}': exit status {status}", *printed[-20:], sep="\n  ")
            elif wanted is not None and not fits(wanted, printed):
                if BLESS and "..." not in "\n".join(wanted):
                    edits.append((block, command, printed))
                    continue
                failed += 1
                print(f"{path}:{block.line}: '{command}' prints something else:", *printed[:60], sep="\n  ")
    for block, command, printed in reversed(edits):
        first = command.split("\n")
        start = next(i for i in range(block.line, block.line + len(block.lines)) if lines[i] == "$ " + first[0]) + len(first)
        end = start
        while lines[end] != "```" and not lines[end].startswith("$ "):
            end += 1
        lines[start:end] = printed
    if edits:
        (source / path).write_text("\n".join(lines))
    return len(commands), failed


counts = [check(path) for path in named]
count, failed = (sum(values) for values in zip(*counts))
if not sys.argv[3:] and count < 30:
    print(f"found only {count} commands")
    failed += 1
print(f"{count} commands of {len(named)} documents, {failed} wrong")
sys.exit(failed > 0)

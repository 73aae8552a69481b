"""A page for each pass: what it does, its file's header, and file tests that run it alone, before and after."""
import difflib
import json
import re

from page import escape

EXAMPLES = 4


def files_of(site):
    """The file of each pass: the general list names it; a target's are found by their functions."""
    found = dict(re.findall(r'PASS\(\w+,\s*"([^"]+)",\s*"([^"]+)"', (site.source / "passes/passes.def").read_text()))
    found = {name: f"passes/{file}" for name, file in found.items()}
    folder = site.source / "compiler/valhall"
    for name, function in re.findall(r'PASS\(\w+,\s*"([^"]+)",\s*(norn_\w+)', (folder / "passes.def").read_text()):
        found[name] = next((f"compiler/valhall/{path.name}" for path in sorted(folder.glob("*.c"))
                            if re.search(rf"^{function}\(.*\{{$", path.read_text(), re.M)), "")
    return {name: file for name, file in found.items() if (site.source / file).is_file()}


def examples_of(site):
    """The tests of each pass: (file, passes, what it is about, before, after)."""
    found = {}
    for path in sorted((site.source / "tests/filetests").rglob("*.norn")):
        lines = path.read_text().split("\n")
        # What is expected first is of the first test.
        test = next((line for line in lines if line.startswith("; test")), "")
        run = re.match(r"; test: opt (?:.* )?-p ([a-z0-9,-]+)( |$)", test)
        if not run or "; expect:" not in lines:
            continue
        # With other passes around it, the one that the file is called after.
        names = run[1].split(",")
        name = max((n for n in names if path.stem.startswith(n)), key=len, default=names[-1])
        start = lines.index("; expect:")
        first_test = next(i for i, line in enumerate(lines) if line.startswith("; test"))
        about = " ".join(line.removeprefix("; ") for line in lines[:first_test])
        before = [line for line in lines[:start] if not line.startswith(";")]
        after = []
        for line in lines[start + 1:]:
            if line.startswith("; expect"):
                break
            after.append(line.removeprefix(";").removeprefix(" "))
        # The target that a test leaves to the default is no work of the pass.
        if after and after[0].startswith("target ") and not any(line.startswith("target ") for line in before):
            del after[0]
        if after:
            found.setdefault(name, []).append((path.relative_to(site.source / "tests/filetests").as_posix(), run[1], about, "\n".join(before).strip(), "\n".join(after).strip()))
    return found


def header_of(site, file, name):
    """The comment that a file begins with, and the one of the pass itself where it shares the file."""
    text = (site.source / file).read_text()
    found = [re.match(r"/\*(.*?)\*/", text, re.S),
             re.search(r"/\*((?:(?!\*/).)*)\*/\nbool\nnorn_\w+_" + name.replace("-", "_") + r"\(NornPassContext", text, re.S)]
    comments = dict.fromkeys(comment[1].strip() for comment in found if comment)
    return "\n\n".join("\n".join(re.sub(r"^ \* ?", "", line) for line in comment.split("\n")) for comment in comments)


def marked(text, other):
    """The lines, marked where the other text has not the same."""
    lines, out = text.split("\n"), []
    same = {block.a + k for block in difflib.SequenceMatcher(None, lines, other.split("\n"), False).get_matching_blocks() for k in range(block.size)}
    for index, line in enumerate(lines):
        out.append(escape(line) if index in same else f"<mark>{escape(line)}</mark>")
    return "\n".join(out)


def paragraphs(text):
    out = ""
    for part in re.split(r"\n\s*\n", text):
        tag = "pre" if re.match(r"\s{2,}", part) else "p"
        out += f"<{tag}>{escape(part)}</{tag}>\n"
    return out


def write_pass(site, entry, file, examples):
    name = entry["name"]
    out = f"<h1>{escape(name)} <small>{escape(entry['summary'])}</small></h1>\n"
    out += f"<p>Needs {escape(entry['needs'])} code, leaves {escape(entry['leaves'])} code.</p>\n"
    if file:
        out += f"<h2>How</h2>\n{paragraphs(header_of(site, file, name))}<p><code>{escape(file)}</code></p>\n"
    examples = sorted(examples, key=lambda e: (e[1] != name, e[3] == e[4], len(e[3])))
    for test, ran, about, before, after in examples[:EXAMPLES]:
        out += (f"<h2>{escape(test.removesuffix('.norn'))}</h2>\n<p>{escape(about)}</p>\n<div class=\"pair\"><figure><figcaption>before</figcaption>"
                f"<pre>{marked(before, after)}</pre></figure><figure><figcaption>after <code>norn opt -p {escape(ran)}</code></figcaption><pre>{marked(after, before)}</pre></figure></div>\n")
    if examples:
        out += f'<p>Each is a test of <code>tests/filetests/</code>.</p>\n'
    site.write(f"passes/{name}.html", f"Pass {name}", out)
    site.add(name, f"passes/{name}.html", "pass")


def write(site):
    listed = json.loads(site.run("passes", "--format", "json"))["passes"]
    files, examples = files_of(site), examples_of(site)
    unknown = set(examples) - {entry["name"] for entry in listed}
    if unknown or not examples:
        raise SystemExit(f"file tests of passes that there are not: {unknown}")
    without = [entry["name"] for entry in listed if entry["name"] not in examples]
    if without:
        raise SystemExit(f"passes that no file test shows, 'opt -p' of the pass alone, before and after: {without}")
    rows = ""
    for entry in listed:
        name = entry["name"]
        write_pass(site, entry, files.get(name), examples.get(name, []))
        rows += f'<tr><td><a href="{name}.html">{name}</a></td><td>{escape(entry["needs"])}</td><td>{escape(entry["summary"])}</td></tr>\n'
    site.write("passes/index.html", "Passes", "<h1>Passes</h1>\n<p>In the order in which code meets them; <code>norn passes</code> shows the pipeline of a "
               f'target.</p>\n<div class="wide"><table><tr><th>pass</th><th>of code</th><th></th></tr>\n{rows}</table></div>\n')

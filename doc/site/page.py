"""The frame of a page, and the index that the search box uses."""
import html
import json
import os
import re
import shutil
import subprocess

FRAME = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="stylesheet" href="{root}style.css">
<script defer src="{root}search.js"></script>
<script defer src="{root}site.js"></script>
</head>
<body data-root="{root}">
<header><a class="home" href="{root}index.html">Norn</a>
<nav>{menu}</nav>
<form role="search"><input id="search" type="search" placeholder="Search" aria-label="Search names and titles" autocomplete="off"><ul id="found"></ul></form>
</header>
<main>
{body}</main>
</body>
</html>
"""

MENU = [("Guides", "guides.html"), ("IR", "ir.html"), ("Passes", "passes/index.html"), ("Valhall", "isa/valhall/index.html"),
        ("GCN", "isa/gcn/index.html"), ("VP1", "isa/vp1/index.html"), ("API", "api/index.html")]


def escape(text):
    return html.escape(text, quote=False)


class Site:
    def __init__(self, source, norn, cmark, out):
        self.source, self.norn, self.cmark, self.out = source, norn, cmark, out
        self.entries = []
        self.count = 0
        out.mkdir(parents=True)
        for name in ("style.css", "site.js"):
            shutil.copy(source / "doc/site" / name, out / name)

    def run(self, *arguments):
        return subprocess.run([self.norn, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout

    def markdown(self, text):
        """HTML of Markdown, without anything raw that it may hold."""
        return subprocess.run([self.cmark, "--extension", "table"], check=True, input=text, stdout=subprocess.PIPE, text=True).stdout

    def write(self, path, title, body):
        root = os.path.relpath(".", os.path.dirname(path) or ".") + "/" if "/" in path else ""
        menu = " ".join(f'<a href="{root}{to}">{name}</a>' for name, to in MENU)
        file = self.out / path
        file.parent.mkdir(parents=True, exist_ok=True)
        full = title if title == "Norn" else f"{title} - Norn"
        file.write_text(FRAME.format(title=escape(full), root=root, menu=menu, body=body))
        self.count += 1

    def copy(self, source, path):
        (self.out / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(self.source / source, self.out / path)

    def add(self, name, to, about):
        """Something that the search box finds."""
        self.entries.append([name, to, about])

    def write_search(self):
        self.entries.sort(key=lambda entry: (len(entry[0]), entry[0].lower(), entry[1]))
        (self.out / "search.js").write_text("const names = " + json.dumps(self.entries, separators=(",", ":")) + ";\n")


def file_name(name):
    """A name as that of a file: what differs in capital letters alone stays apart on systems that do not see them."""
    return re.sub(r"[^A-Za-z0-9_.-]", lambda m: f"-{ord(m[0]):02x}", name)

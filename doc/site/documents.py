"""Pages of the guides. Links between them become links of the site; other files that they name are pages with the text."""
import html
import os
import posixpath
import re

from page import escape

# In the order in which a newcomer reads them.
GUIDES = [
    ("First steps", ["README.md", "doc/tutorial.md", "doc/concepts.md", "doc/glossary.md", "CONTRIBUTING.md", "extras/README.md"]),
    ("The language", ["doc/ir.md", "doc/spirv.md"]),
    ("The machines", ["doc/valhall-simulator.md", "doc/isa-history.md", "doc/gcn-vp1.md", "doc/isa-description.md"]),
    ("A driver", ["doc/embedding.md", "doc/promises.md", "doc/statistics.md", "doc/performance.md", "doc/distance.md", "doc/report.md"]),
    ("Trust", ["doc/checkers.md", "doc/debugging.md", "doc/file-tests.md", "doc/fuzzing.md", "doc/proofs.md", "tests/oracle/README.md"]),
]
SPECIAL = {"README.md": "readme.html", "CONTRIBUTING.md": "contributing.html", "extras/README.md": "editors.html",
           "tests/oracle/README.md": "oracle.html"}


def page_of(path):
    """The page of a Markdown file of the tree."""
    return SPECIAL.get(path) or posixpath.basename(path).removesuffix(".md") + ".html"


def slug(title):
    """What GitHub calls a heading."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def add_anchors(site, path, body):
    """Gives headings their names, and enters them for the search."""
    seen = {}

    def heading(match):
        level, inner = match[1], match[2]
        text = html.unescape(re.sub(r"<[^>]*>", "", inner))
        name = slug(text)
        seen[name] = seen.get(name, -1) + 1
        name += f"-{seen[name]}" if seen[name] else ""
        is_op = path == "ir.html" and level == "3" and re.fullmatch(r"[a-z0-9_.]+", text)
        site.add(text, path if level == "1" else f"{path}#{name}", "operation of the IR" if is_op else "guide")
        return f'<h{level} id="{name}">{inner}</h{level}>'

    return re.sub(r"<h([1-6])>(.*?)</h\1>", heading, body, flags=re.S)


def table_of_contents(body):
    heads = re.findall(r'<h2 id="([^"]*)">(.*?)</h2>', body)
    # Operations of the IR are too many for a list above them.
    if len(heads) < 3:
        return body
    items = "".join(f'<li><a href="#{name}">{text}</a></li>' for name, text in heads)
    return re.sub(r"(</h1>)", rf'\1\n<nav class="contents"><ul>{items}</ul></nav>', body, count=1)


class Links:
    """Where the links of a file of the tree lead in the site."""

    def __init__(self, site, markdown):
        self.site, self.markdown, self.sources, self.pictures = site, markdown, set(), set()

    def resolve(self, path, to):
        if re.match(r"[a-z]+:", to) or to.startswith("#"):
            return to
        to, _, anchor = to.partition("#")
        file = posixpath.normpath(posixpath.join(posixpath.dirname(path), to))
        if file in self.markdown:
            return page_of(file) + ("#" + anchor if anchor else "")
        if (self.site.source / file).is_file():
            self.sources.add(file)
            return f"source/{file}.html"
        return None

    def rewrite(self, path, body):
        def link(match):
            to = self.resolve(path, html.unescape(match[1]))
            return f'<a href="{html.escape(to)}">{match[2]}</a>' if to else match[2]

        def picture(match):
            file = posixpath.normpath(posixpath.join(posixpath.dirname(path), html.unescape(match[1])))
            self.pictures.add(file)
            return f'<img src="pictures/{html.escape(posixpath.basename(file))}"'

        body = re.sub(r'<img src="([^"]*)"', picture, body)
        return re.sub(r'<a href="([^"]*)">(.*?)</a>', link, body, flags=re.S)


def write_source(site, file):
    text = (site.source / file).read_text()
    site.write(f"source/{file}.html", file, f"<h1>{escape(file)}</h1>\n<pre>{escape(text)}</pre>\n")


def title_of(site, path):
    return re.search(r"^# (.*)$", (site.source / path).read_text(), re.M)[1]


def write_guides(site, sections):
    body = "<h1>Guides</h1>\n"
    for name, paths in sections:
        items = "".join(f'<li><a href="{page_of(path)}">{escape(title_of(site, path))}</a></li>\n' for path in paths)
        body += f"<h2>{name}</h2>\n<ul>\n{items}</ul>\n"
    site.write("guides.html", "Guides", body)


def write_index(site, sections):
    cards = [("Ten minutes with Norn", "tutorial.html", "a kernel, its code, what it costs"), ("Concepts", "concepts.html", "stages, lanes, messages, in pictures"),
             ("Guides", "guides.html", "from the first kernel to a driver"), ("The IR", "ir.html", "the language and every operation"),
             ("Passes", "passes/index.html", "what each does, before and after"),
             ("Valhall", "isa/valhall/index.html", "every instruction, by name, unit and opcode"),
             ("GCN VOP3", "isa/gcn/index.html", "every instruction"), ("VP1", "isa/vp1/index.html", "every instruction"),
             ("C interface", "api/index.html", "every function and type of the public headers")]
    readme = (site.source / "README.md").read_text().split("\n\n")
    items = "".join(f'<a class="card" href="{to}"><b>{name}</b><span>{about}</span></a>\n' for name, to, about in cards)
    guides = "".join(f'<a href="{page_of(path)}">{escape(title_of(site, path))}</a>\n' for _, paths in sections for path in paths)
    site.write("index.html", "Norn", f'<h1>Norn</h1>\n{site.markdown(readme[1])}<div class="cards">\n{items}</div>\n'
               f'<h2>Guides</h2>\n<p class="guides">{guides}</p>\n')


def write(site):
    found = {os.path.relpath(path, site.source) for path in (site.source / "doc").glob("*.md")}
    named = {path for _, paths in GUIDES for path in paths}
    # A guide that is in no section is no mistake of the reader's.
    others = sorted(found - named)
    sections = [(name, [path for path in paths if (site.source / path).exists()]) for name, paths in GUIDES]
    sections += [("More", others)] if others else []
    markdown = {path for _, paths in sections for path in paths}
    links = Links(site, markdown)
    for path in sorted(markdown):
        if path == "doc/ir.md":
            text = site.run("ops", "--format", "markdown", "--preface", site.source / path)
        else:
            text = (site.source / path).read_text()
        body = add_anchors(site, page_of(path), links.rewrite(path, site.markdown(text)))
        body = re.sub(r"<table>.*?</table>", r'<div class="wide">\g<0></div>', body, flags=re.S)
        site.write(page_of(path), title_of(site, path), table_of_contents(body))
    for file in sorted(links.sources):
        write_source(site, file)
    for file in links.pictures:
        site.copy(file, f"pictures/{posixpath.basename(file)}")
    write_guides(site, sections)
    write_index(site, sections)

"""Every link of the site leads to a page that is there, and to a place on it."""
import html.parser
import posixpath
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.links, self.places, self.repeated = [], set(), []

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src"):
                self.links.append(value)
            elif name == "id":
                if value in self.places:
                    self.repeated.append(value)
                self.places.add(value)


def check(out):
    """A line for each link that is broken."""
    pages, broken = {}, []
    for file in sorted(out.rglob("*.html")):
        page = Page()
        page.feed(file.read_text())
        pages[file.relative_to(out).as_posix()] = page
    for path, page in pages.items():
        broken += [f"{path}: two places are called '{place}'" for place in page.repeated]
        for link in page.links:
            if urllib.parse.urlsplit(link).scheme:
                continue
            to, _, place = link.partition("#")
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), urllib.parse.unquote(to))) if to else path
            if target not in pages and not (out / target).is_file():
                broken.append(f"{path}: '{link}' leads nowhere")
            elif place and target in pages and urllib.parse.unquote(place) not in pages[target].places:
                broken.append(f"{path}: there is no place '{place}' on {target}")
    return broken

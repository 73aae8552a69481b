"""Pages of the C interface: what the public headers declare, with the comments before it."""
import re

from page import escape

# Not for users: guards, attributes, clean-up functions.
IGNORED = re.compile(r"#(ifndef|ifdef|if|endif|else|elif|include|undef)\b|NORN_(BEGIN|END)_DECLS|G_DEFINE_AUTOPTR|#define NORN_\w+_H\b")


def clean(comment):
    """The text of a comment without its marks."""
    lines = [re.sub(r"^ \* ?", "", line) for line in comment.strip().removeprefix("/*").removesuffix("*/").split("\n")]
    return "\n".join(lines).strip()


def split(text):
    """Comments and declarations at the outermost level, in order: (is_comment, text)."""
    parts, at, depth, start = [], 0, 0, None
    while at < len(text):
        if text.startswith("/*", at):
            end = text.index("*/", at) + 2
            if start is None:
                parts.append((True, text[at:end]))
            at = end
            continue
        if start is None and not text[at].isspace():
            start = at
            if text[at] == "#":
                end = re.compile(r"(?<!\\)\n").search(text, at).start()
                parts.append((False, text[at:end]))
                start, at = None, end
                continue
        if start is not None:
            depth += {"{": 1, "}": -1, "(": 1, ")": -1}.get(text[at], 0)
            line_macro = depth == 0 and text[at] == "\n" and re.match(r"NORN_(BEGIN|END)_DECLS|G_DEFINE", text[start:at])
            function_end = depth == 0 and text[at] == "}" and text[at + 1:at + 2] == "\n"
            if depth == 0 and (text[at] == ";" or line_macro or function_end):
                end = at + 1
                trailing = re.compile(r"[ \t]*/\*[^\n]*\*/(?=\n)").match(text, end)
                end = trailing.end() if trailing else end
                parts.append((False, text[start:end].rstrip()))
                start, at = None, end
                continue
        at += 1
    return parts


def name_of(code):
    """What a declaration declares."""
    for pattern in (r"^#define (\w+)", r"\}\s*(\w+);", r"^typedef [^;]*\(\*(\w+)\)", r"^typedef .*?(\w+);", r"(norn_\w+)\(", r"(?:struct|enum) (\w+)", r"\{\s*(NORN_\w+)"):
        found = re.search(pattern, code, re.S)
        if found:
            return found[1]
    return None


def body_of(code):
    """Functions in headers without what they do."""
    if re.match(r"static inline", code):
        return re.sub(r"\s*\{.*", ";", code, flags=re.S)
    return code


def collect(text):
    """The header's comment, and its sections: (title, [(comment, [code])])."""
    intro, sections, comment = None, [["", []]], None
    for is_comment, part in split(text):
        if is_comment and intro is None:
            intro = clean(part)
        elif is_comment and re.match(r"/\* --- ", part):
            sections.append([part.strip("/* -"), []])
        elif is_comment:
            comment = clean(part)
        elif not IGNORED.match(part):
            items = sections[-1][1]
            if comment is None and items:
                items[-1][1].append(body_of(part))
            else:
                items.append((comment or "", [body_of(part)]))
            comment = None
    return intro or "", sections


def linked(text, known):
    """Escaped text, in which names of the interface are links."""
    return re.sub(r"\b(?:norn_\w+|Norn\w+|NORN_\w+)\b", lambda m: f'<a href="{known[m[0]]}">{m[0]}</a>' if m[0] in known else m[0], escape(text))


def paragraphs(text, known):
    out = ""
    for part in re.split(r"\n\s*\n", text):
        if not part.strip():
            continue
        if re.match(r" {2,}", part):
            out += f"<pre>{linked(part, known)}</pre>\n"
        else:
            out += "<p>" + re.sub(r"`([^`\n]+)`", r"<code>\1</code>", linked(part, known)) + "</p>\n"
    return out


def write_header(site, name, intro, sections, known):
    out = f"<h1>norn/{name}</h1>\n{paragraphs(intro, known)}"
    for title, items in sections:
        out += f"<h2>{escape(title)}</h2>\n" if title else ""
        for comment, codes in items:
            names = [n for n in map(name_of, codes) if n]
            anchors = "".join(f'<span id="{n}"></span>' for n in dict.fromkeys(names) if known.get(n) == f"{name}.html#{n}")
            code = "\n".join(codes)
            out += f'<section class="item">{anchors}<pre>{linked(code, known)}</pre>\n{paragraphs(comment, known)}</section>\n'
    site.write(f"api/{name}.html", f"norn/{name}", out)


def write(site):
    headers = {path.name: collect(path.read_text()) for path in sorted((site.source / "include/norn").glob("*.h"))}
    known = {}
    for name, (_, sections) in headers.items():
        for _, items in sections:
            for _, codes in items:
                for code in codes:
                    symbol = name_of(code)
                    # A structure's own definition counts more than where it is first named.
                    if symbol and (symbol not in known or "{" in code):
                        known[symbol] = f"{name}.html#{symbol}"
    rows = ""
    for name, (intro, sections) in headers.items():
        write_header(site, name, intro, sections, known)
        site.add(f"norn/{name}", f"api/{name}.html", "header")
        rows += f'<tr><td><a href="{name}.html">norn/{name}</a></td><td>{escape(intro.split(chr(10) + chr(10))[0])}</td></tr>\n'
    for symbol, to in known.items():
        site.add(symbol, f"api/{to}", "C")
    symbols = "".join(f'<li><a href="{known[s]}">{s}</a></li>\n' for s in sorted(known, key=str.lower))
    site.write("api/index.html", "C interface", "<h1>C interface</h1>\n<p>Include <code>norn/norn.h</code>, which has all of it but the instructions of "
               "one ISA, and link what <code>pkg-config norn</code> says. A function that builds each operation (<code>norn/build.h</code>) and the numbers of instructions "
               "(<code>norn/valhall.h</code> and its like) are written by the build, from the tables of the "
               f'<a href="../ir.html">operations</a> and instructions.</p>\n<div class="wide"><table>{rows}</table></div>\n'
               f'<h2>All names</h2>\n<ul class="names">{symbols}</ul>\n')
    check(site, known)


def check(site, known):
    """Every function that the library exports is on a page."""
    for path in (site.source / "include/norn").glob("*.h"):
        for function in re.findall(r"^[a-zA-Z][\w ]* \**(norn_\w+)\(", path.read_text(), re.M):
            if function not in known:
                raise SystemExit(f"{path}: {function} is on no page of the interface")

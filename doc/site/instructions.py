"""The manual of each instruction set, split by instruction, from the page that `norn isa --format html` writes: for each instruction
what it is, how the architectures differ, and its encodings; indexes by name, unit and opcode."""
import html
import re

from page import escape, file_name

TARGETS = ["valhall", "gcn", "vp1"]


def plain(text):
    return html.unescape(re.sub(r"<[^>]*>", "", text)).strip()


class Encoding:
    """One encoding of an instruction, for the architectures that share it."""

    def __init__(self, body):
        start, self.content = re.match(r"<p class=range>Architecture ([^,<]*)(.*)", body, re.S).groups()
        self.body, self.range = body, start
        attributes = plain(self.content.split("</p>")[0]).removeprefix(",").split(",")
        attributes = [attribute.strip() for attribute in attributes if attribute.strip()]
        self.unit = next((a.removeprefix("unit ") for a in attributes if a.startswith("unit ")), "")
        self.attributes = attributes
        self.syntax = plain(re.search(r"<pre>(.*?)</pre>", body)[1])
        self.read_bits()
        self.rows = {plain(name): plain(text) for name, text in re.findall(r"<tr><td>(.*?)<td>(.*?)(?=<tr>|</table>)",
                                                                          body.split("<table class=list>")[1])}
        self.rules = [plain(rule) for rule in re.findall(r"<p class=rule>(.*?)</p>", body)]

    def read_bits(self):
        """Where each field is, and the word whose fixed bits alone are set."""
        self.places, self.word, self.bits = {}, 0, 0
        for table in re.findall(r"<table class=bits>(.*?)</table>", self.body):
            heads = re.findall(r"<th colspan=\d+>([^<]*)", table)
            cells = re.findall(r"<td class=(\w+) colspan=\d+>([^<]*)", table)
            for place, (kind, label) in zip(heads, cells, strict=True):
                high, _, low = place.partition("–")
                self.bits = max(self.bits, int(high) + 1)
                if kind == "fixed":
                    self.word |= int(label, 2) << int(low or high)
                elif kind == "field":
                    self.places.setdefault(html.unescape(label), []).append(place)


def split_values(text):
    """"none=0* a=1" by name, or None where the text is another."""
    words = text.split(" (+:")[0].split()
    return dict(word.split("=", 1) for word in words) if words and all("=" in word for word in words) else None


def differences(old, new):
    """What a later encoding has that an earlier one has not, and the other way around."""
    out = []
    if old.word != new.word:
        out.append(f"fixed bits {old.word:#0{old.bits // 4 + 2}x} become {new.word:#0{new.bits // 4 + 2}x}")
    if old.syntax != new.syntax:
        out.append(f"written <code>{escape(new.syntax)}</code>")
    for what in [a for a in old.attributes if a not in new.attributes]:
        out.append(f"no longer: {escape(what)}")
    for what in [a for a in new.attributes if a not in old.attributes]:
        out.append(f"now: {escape(what)}")
    for name in dict.fromkeys(list(old.places) + list(new.places)):
        before, after = old.places.get(name), new.places.get(name)
        if before and after and before != after:
            out.append(f"<code>{escape(name)}</code> goes from bits {', '.join(before)} to {', '.join(after)}")
        elif not after:
            out.append(f"<code>{escape(name)}</code> is gone")
        elif not before:
            out.append(f"<code>{escape(name)}</code> comes, in bits {', '.join(after)}")
    for name in [n for n in old.rows if n in new.rows and old.rows[n] != new.rows[n]]:
        before, after = split_values(old.rows[name]), split_values(new.rows[name])
        if before is None or after is None:
            out.append(f"<code>{escape(name)}</code>: {escape(new.rows[name])}")
            continue
        lost = [f"{k}={v}" for k, v in before.items() if after.get(k) != v]
        added = [f"{k}={v}" for k, v in after.items() if before.get(k) != v]
        parts = ([f"without {' '.join(lost)}"] if lost else []) + ([f"with {' '.join(added)}"] if added else [])
        out.append(f"<code>{escape(name)}</code> {escape(', '.join(parts))}")
    out += [f"without the rule: {escape(rule.removeprefix('Rule: '))}" for rule in old.rules if rule not in new.rules]
    out += [f"with the rule: {escape(rule.removeprefix('Rule: '))}" for rule in new.rules if rule not in old.rules]
    return out


def merge(encodings):
    """Encodings that look the same as one: what differs then is said of all instructions at once, by the named values."""
    merged = []
    for encoding in encodings:
        last = merged[-1] if merged else None
        if last and encoding.content == last.content:
            last.range = last.range.split(" to ")[0] + " to " + encoding.range.split(" to ")[-1]
        else:
            merged.append(encoding)
    return merged


class Instruction:
    def __init__(self, section):
        head = re.match(r'([^"]*)"><h2>.*?<small>(.*?)</small></h2>\n', section, re.S)
        self.name, self.title = html.unescape(head[1]), plain(head[2])
        self.text, *encodings = re.split(r"(?=<p class=range>)", section[head.end():].split("</section>")[0])
        self.encodings = merge([Encoding(body) for body in encodings])
        self.page = file_name(self.name) + ".html"

    def ranges(self):
        first, last = self.encodings[0].range.split(" to ")[0], self.encodings[-1].range.split(" to ")[-1]
        return first if first == last else f"{first} to {last}"


def write_instruction(site, target, instruction):
    out = f'<p><a href="index.html">All instructions of {target}</a></p>\n<h1>{escape(instruction.name)} <small>{escape(instruction.title)}</small></h1>\n'
    out += instruction.text
    if len(instruction.encodings) > 1:
        out += "<h2>Differences of the architectures</h2>\n<dl>\n"
        for old, new in zip(instruction.encodings, instruction.encodings[1:]):
            items = "".join(f"<li>{item}</li>" for item in differences(old, new)) or "<li>bits without a name only</li>"
            out += f"<dt>{new.range}, against {old.range}</dt><dd><ul>{items}</ul></dd>\n"
        out += "</dl>\n"
    out += "<h2>Encoding</h2>\n"
    for encoding in instruction.encodings:
        head, body = encoding.content.split("</p>", 1)
        body = f"<h3>Architecture {encoding.range}{head}</h3>{body}"
        out += re.sub(r"<table class=(bits|list)>.*?</table>", r'<div class="wide">\g<0></div>', body, flags=re.S)
    site.write(f"isa/{target}/{instruction.page}", instruction.name, out)
    site.add(instruction.name, f"isa/{target}/{instruction.page}", f"{target}: {instruction.title}")


def link(instruction):
    return f'<a href="{instruction.page}">{escape(instruction.name)}</a>'


def write_by_unit(site, target, title, instructions):
    units = {}
    for instruction in instructions:
        for unit in dict.fromkeys(encoding.unit for encoding in instruction.encodings):
            units.setdefault(unit or "none", []).append(instruction)
    out = f"<h1>{escape(title)}, by unit</h1>\n"
    for unit, members in sorted(units.items()):
        items = "".join(f"<li>{link(i)}</li>\n" for i in sorted(members, key=lambda i: i.name))
        out += f'<h2 id="{escape(unit)}">{escape(unit)} <small>{len(members)}</small></h2>\n<ul class="names">{items}</ul>\n'
    site.write(f"isa/{target}/units.html", f"{title}, by unit", out)


def write_by_opcode(site, target, title, instructions):
    rows = sorted((e.word, e.bits, i.name, e.range, link(i)) for i in instructions for e in i.encodings)
    table = "".join(f"<tr><td><code>{word:0{bits // 4}x}</code></td><td>{where}</td><td>{to}</td></tr>\n" for word, bits, _, where, to in rows)
    site.write(f"isa/{target}/opcodes.html", f"{title}, by opcode", f"<h1>{escape(title)}, by opcode</h1>\n<p>The word whose fixed bits alone are set, as a "
               f'number.</p>\n<div class="wide"><table><tr><th>word</th><th>architectures</th><th></th></tr>\n{table}</table></div>\n')


def write_index(site, target, title, instructions, aliases):
    rows = "".join(f"<tr><td>{link(i)}</td><td>{escape(i.title)}</td><td>{escape(i.encodings[0].unit)}</td><td>{i.ranges()}</td></tr>\n"
                   for i in sorted(instructions, key=lambda i: i.name.lower()))
    others = "".join(f'<tr><td>{escape(name)}</td><td>{where}</td><td><a href="{of.page}">{escape(text)}</a></td></tr>\n' for name, where, of, text in aliases)
    out = (f'<h1>{escape(title)}</h1>\n<p>{len(instructions)} instructions, by name; <a href="units.html">by unit</a>, <a href="opcodes.html">by opcode</a>; '
           f'<a href="values.html">named values</a>. In a picture of a word blue bits are fixed, white ones fields, gray ones reserved and zero, yellow ones without meaning; '
           f'a star marks a default.</p>\n<div class="wide"><table><tr><th>name</th><th></th><th>unit</th><th>architectures</th></tr>\n{rows}</table></div>\n')
    if others:
        out += f'<h2>Other names</h2>\n<div class="wide"><table>{others}</table></div>\n'
    site.write(f"isa/{target}/index.html", title, out)


def write_target(site, target):
    page = site.run("isa", "--target", target, "--format", "html")
    title = plain(re.search(r"<h1>(.*?)</h1>", page)[1])
    instructions = [Instruction(section) for section in page.split('<section id="')[1:]]
    if len(instructions) != len(site.run("isa", "--target", target).split("\n")) - 1:
        raise SystemExit(f"{target}: not every instruction was found in the manual")
    by_name = {instruction.name: instruction for instruction in instructions}
    for instruction in instructions:
        write_instruction(site, target, instruction)
    names = re.search(r"<h2>Other names</h2>.*?</section>", page, re.S)[0]
    aliases = [(html.unescape(name), where, by_name[html.unescape(to)], plain(text))
               for name, where, to, text in re.findall(r'<tr><td>(.*?)<td>(.*?)<td><a href="#(.*?)">(.*?)</a>', names)]
    for name, _, of, text in aliases:
        site.add(name, f"isa/{target}/{of.page}", f"{target}: {text}")
    values = re.search(r"<section><h2>Named values</h2>(.*?)</section>", page, re.S)[1].replace("<h3", "<h2").replace("</h3", "</h2")
    site.write(f"isa/{target}/values.html", f"{title}, named values", f"<h1>{escape(title)}, named values</h1>\n{values}")
    write_by_unit(site, target, title, instructions)
    write_by_opcode(site, target, title, instructions)
    write_index(site, target, title, instructions, aliases)


def write(site):
    for target in TARGETS:
        write_target(site, target)

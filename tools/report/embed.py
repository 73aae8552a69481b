"""Converts the page of `norn report` to C strings: embed.py OUT PAGE STYLE SCRIPT...

The page contains three lines @STYLE@, @SCRIPT@ and @DATA@; the text before and after the last one
becomes a string each."""
import sys


def literal(name, text):
    rows = ['  ' + ''.join(f'{byte},' for byte in text[at:at + 20]) for at in range(0, len(text), 20)]
    return f'const char {name}[] = {{\n' + '\n'.join(rows) + '\n  0};\n'


def read(path, forbidden):
    with open(path, encoding='ascii') as file:
        text = file.read()
    if forbidden in text.lower():
        sys.exit(f'{path}: {forbidden} would end it')
    return text


out, page, style, *scripts = sys.argv[1:]
with open(page, encoding='ascii') as file:
    text = file.read()
text = text.replace('@STYLE@\n', read(style, '</style'), 1)
text = text.replace('@SCRIPT@\n', ''.join(read(path, '</script') for path in scripts), 1)
head, tail = text.split('@DATA@\n')
with open(out, 'w', encoding='ascii') as file:
    file.write('#include "report/report.h"\n\n')
    # Bytes from 128 on would not fit into a signed char; the files are ASCII.
    file.write(literal('report_page_head', head.encode()) + '\n' + literal('report_page_tail', tail.encode()))

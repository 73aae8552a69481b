#!/usr/bin/env python3
"""Writes the documents as a site of plain files, which needs no server and no network, and checks its links.

What is written comes from one source each: doc/*.md, README.md and CONTRIBUTING.md through cmark-gfm; the comments of the
public headers; the tables of instructions and operations through the command; passes from their list, their files and the file
tests. Usage: build.py SOURCE NORN CMARK OUT"""
import pathlib
import shutil
import sys

sys.dont_write_bytecode = True  # the source stays as it is

import api
import documents
import instructions
import links
import passes
from page import Site


def main():
    source, norn, cmark, out = sys.argv[1:]
    out = pathlib.Path(out)
    # Only what this wrote is removed.
    if out.exists():
        if not (out / "site.js").exists() and any(out.iterdir()):
            sys.exit(f"{out}: is no site")
        shutil.rmtree(out)
    site = Site(pathlib.Path(source), pathlib.Path(norn).resolve(), pathlib.Path(cmark), out)
    documents.write(site)
    api.write(site)
    passes.write(site)
    instructions.write(site)
    site.write_search()
    broken = links.check(out)
    for line in broken:
        print(line, file=sys.stderr)
    print(f"{out}/index.html: {site.count} pages, {len(site.entries)} names to search")
    return 1 if broken else 0


sys.exit(main())

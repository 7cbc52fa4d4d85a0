#!/usr/bin/env python3
"""Holds the public items of the library against the list in tests/surface/items.txt, which `check.py --write` makes anew.

An item is whatever `cargo doc` gives a page of its own: a type, a trait, a function, a constant. A new one is a promise to everybody who uses the
library, so it stands in the list, where a reviewer sees it."""

import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "doc/amidst"
LIST = pathlib.Path(__file__).with_name("items.txt")
MAX_ITEMS = 150
PAGE = re.compile(r"(attr|constant|derive|enum|fn|macro|static|struct|trait|type|union)\.(\w+)\.html")


def items() -> list[str]:
    found = []
    for page in PAGES.rglob("*.html"):
        # What a private module has and another one shows has a page there that only points to the other.
        if (match := PAGE.fullmatch(page.name)) and "<title>Redirection</title>" not in page.read_text():
            kind, name = match.groups()
            found.append("::".join(["amidst", *page.parent.relative_to(PAGES).parts, name]) + f" ({kind})")
    return sorted(found)


def main() -> None:
    found = items()
    if not found:
        sys.exit("there are no pages; run `make docs`")
    if "--write" in sys.argv:
        LIST.write_text("".join(f"{item}\n" for item in found))
    listed = LIST.read_text().split("\n")[:-1]
    added, gone = sorted(set(found) - set(listed)), sorted(set(listed) - set(found))
    for item in added:
        print(f"public, but not in the list: {item}", file=sys.stderr)
    for item in gone:
        print(f"in the list, but not public: {item}", file=sys.stderr)
    if added or gone:
        sys.exit(f"if this is meant, run {sys.argv[0]} --write")
    if len(found) > MAX_ITEMS:
        sys.exit(f"{len(found)} public items, more than {MAX_ITEMS}")
    print(f"{len(found)} public items, as listed")


if __name__ == "__main__":
    main()

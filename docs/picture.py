"""Draws docs/demo.svg from what `amidst demo` prints: `amidst demo | python docs/picture.py` (needs rich)."""

import io
import pathlib
import re
import sys

from rich.console import Console

text = sys.stdin.read()
text = text[: text.index("\nmeasures")] + text[text.index("\nclass sizes") : text.index("\nread the report")]
width = max(map(len, text.splitlines())) + 1
console = Console(record=True, width=width, file=io.StringIO(), highlight=False, markup=False)
console.print("$ amidst demo", style="bold green")
before, after = text.split("and as they are published", 1)
console.print(before, end="")
after = "and as they are published" + after
table, report = after.split("\n\npublished", 1)
console.print(table, style="cyan")
console.print()
console.print("published" + report)
svg = console.export_svg(title="amidst")
svg = re.sub(r"\s*@font-face \{[^}]*\}", "", svg)  # no fonts from the network
pathlib.Path(__file__).with_name("demo.svg").write_text(svg, encoding="utf-8")

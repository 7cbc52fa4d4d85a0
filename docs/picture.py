"""Draws the pictures of the documents: `make pictures`.

docs/demo.svg is what `amidst demo` prints (needs rich). docs/report.png is the upper part of the report that docs/report.md makes (needs
Chromium; without it that picture stays as it is).
"""

import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from rich.console import Console

DOCS = pathlib.Path(__file__).resolve().parent
BINARY = pathlib.Path(sys.argv[1]).resolve()
WIDTH, HEIGHT = 870, 1384  # in pixels, of docs/report.png


def demo(text: str) -> str:
    """The picture of what the demo prints, without the measures and the advice at its end."""
    text = text[: text.index("\nmeasures")] + text[text.index("\nclass sizes") : text.index("\nread the report")]
    width = max(map(len, text.splitlines())) + 1
    console = Console(record=True, width=width, file=io.StringIO(), highlight=False, markup=False)
    console.print("$ amidst demo", style="bold green")
    before, after = text.split("and as they are published", 1)
    console.print(before, end="")
    table, report = ("and as they are published" + after).split("\n\nverdict", 1)
    console.print(table, style="cyan")
    console.print()
    console.print("verdict" + report)
    svg = console.export_svg(title="amidst")
    return re.sub(r"\s*@font-face \{[^}]*\}", "", svg)  # no fonts from the network


def command() -> list[str]:
    """The first command of docs/report.md, without its program."""
    line = next(line for line in (DOCS / "report.md").read_text().splitlines() if line.startswith("amidst anonymize"))
    return line.split()[1:]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        printed = subprocess.run([BINARY, "demo"], cwd=folder, capture_output=True, text=True, check=True).stdout
        (DOCS / "demo.svg").write_text(demo(printed), encoding="utf-8")
        print("drew docs/demo.svg")
        browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        if browser is None:
            print("SKIPPED: there is no Chromium, so docs/report.png stays as it is", file=sys.stderr)
            return
        shutil.copy(DOCS.parent / "data/adult/adult.csv.gz", folder)
        subprocess.run([BINARY, *command(), "--seed", "0", "--quiet"], cwd=folder, check=True)
        flags = ["--headless", "--disable-gpu", "--hide-scrollbars", f"--window-size={WIDTH},{HEIGHT}"]
        flags += ["--no-sandbox"] if os.name == "posix" and os.geteuid() == 0 else []
        picture, page = DOCS / "report.png", pathlib.Path(folder, "report.html").as_uri()
        subprocess.run([browser, *flags, f"--screenshot={picture}", page], check=True, capture_output=True)
        print("drew docs/report.png")


main()

#!/usr/bin/env python3
"""Follows docs/extending.md in a copy of the sources, compiles it, and uses what was added.

First only the variants of the model and of the form are added: the compiler must name every place that lacks them. Then everything is,
and must compile. At last toys.rs, a test of the library, asks for every toy by its name.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COPY = ROOT / "target" / "extending"
# As `make docs` has them, so that what they depend on is compiled once.
PUBLIC = ["--package", "amidst", "--package", "amidst-cli", "--package", "amidst-py"]
FIRST = ["crates/amidst/src/plan/model.rs", "crates/amidst/src/plan/form.rs"]
ASKED_FOR = [
    "constraint/mod.rs",
    "verify/levels.rs",
    "plan/words.rs",
    "report/promise.rs",
    "attack/promise.rs",
    "publish/randomization.rs",
    "publish/mod.rs",
    "verify/forms/mod.rs",
    "verify/columns.rs",
    "report/dictionary.rs",
]


def blocks():
    """The file and the text of every block of the page, and whether it is a new file."""
    page = (ROOT / "docs" / "extending.md").read_text()
    for language, text in re.findall(r"^```(rust|diff)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        first, rest = text.split("\n", 1)
        name = first.removeprefix("// ").strip()
        yield name, rest, language == "rust"


def patched(text, patch, name):
    """The text with the `+` lines below the lines before them, and without the `-` lines."""
    lines = text.split("\n")
    at = 0
    for line in patch.splitlines():
        sign, content = line[:1], line[1:]
        if sign == "+":
            lines.insert(at, content)
            at += 1
            continue
        if content not in lines:
            sys.exit(f"{name} has no line `{content}`, which docs/extending.md builds on")
        at = lines.index(content)
        if sign == "-":
            del lines[at]
        else:
            at += 1
    return "\n".join(lines)


def add(names):
    for name, text, is_new in blocks():
        path = COPY / name
        if not names(name):
            continue
        if is_new:
            path.write_text(text)
        else:
            path.write_text(patched(path.read_text(), text, name))


def cargo(*arguments):
    """Runs cargo in the copy. What it depends on is that of the project, and compiled there."""
    environment = {**os.environ, "CARGO_TARGET_DIR": str(ROOT / "target"), "CARGO_INCREMENTAL": "0"}
    return subprocess.run(["cargo", *arguments], cwd=COPY, env=environment, capture_output=True, text=True)


def check():
    return cargo("check", *PUBLIC, "--lib", "--bins", "--message-format", "short")


def use():
    """Tries the toys. The library is compiled for this alone, so as quickly as can be."""
    shutil.copy(ROOT / "tests" / "extending" / "toys.rs", COPY / "crates" / "amidst" / "tests" / "toys.rs")
    quickly = "--config=profile.dev.package.amidst.opt-level=0"
    # With the whole workspace, because a package on its own has other features, and what it depends on would be compiled again.
    return cargo("test", quickly, "--workspace", "--test", "toys")


def main():
    shutil.rmtree(COPY, ignore_errors=True)
    ignored = shutil.ignore_patterns("target", ".git", "*venv*", "__pycache__")
    COPY.mkdir(parents=True)
    for name in ["Cargo.toml", "Cargo.lock"]:
        shutil.copy(ROOT / name, COPY / name)
    for name in ["crates", "bench", "data"]:
        shutil.copytree(ROOT / name, COPY / name, ignore=ignored)
    add(lambda name: name in FIRST)
    lacking = check()
    if lacking.returncode == 0:
        sys.exit("a model and a form that no stage knows compile")
    silent = [place for place in ASKED_FOR if place not in lacking.stderr]
    if silent:
        sys.exit(f"the compiler does not ask for the newcomers in {', '.join(silent)}:\n{lacking.stderr}")
    add(lambda name: name not in FIRST)
    done = check()
    if done.returncode != 0:
        sys.exit(f"docs/extending.md does not compile:\n{done.stderr}")
    used = use()
    if used.returncode != 0:
        sys.exit(f"the toys of docs/extending.md do not work:\n{used.stdout}\n{used.stderr}")
    shutil.rmtree(COPY)
    print(
        f"docs/extending.md: {len(list(blocks()))} blocks compile, the compiler asks for all {len(ASKED_FOR)} places, and every toy can be used"
    )


main()

#!/usr/bin/env python3
"""Plants the bugs of planted/ one by one in a copy of the sources and runs the scenarios, which must fail.

Each file replaces one text by another. The text must stand exactly once in its file; where it is gone, the bug must be planted anew.
`planted.py NAME…` plants only those. The copy lies in target/planted.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import time
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
COPY = ROOT / "target" / "planted"
TEST = ["cargo", "test", "--quiet", "--profile", "mutants", "--package", "amidst-trials", "--test", "scenarios"]


def copy() -> None:
    """Brings the copy up to date; files that did not change keep their times, so that little is built anew."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    for name in listed:
        source, target = ROOT / name, COPY / name
        if source.is_file() and (not target.is_file() or source.read_bytes() != target.read_bytes()):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
    for path in COPY.rglob("*.rs"):
        name = path.relative_to(COPY)
        if name.parts[0] != "target" and str(name) not in listed:
            path.unlink()


def scenarios() -> tuple[int, str]:
    # The libraries that both use are built once.
    environment = {**os.environ, "CARGO_TARGET_DIR": str(ROOT / "target")}
    run = subprocess.run(TEST, cwd=COPY, env=environment, capture_output=True, text=True)
    return run.returncode, run.stdout + run.stderr


def main() -> int:
    bugs = sorted(path for path in (HERE / "planted").glob("*.toml") if len(sys.argv) < 2 or path.stem in sys.argv[1:])
    copy()
    code, output = scenarios()
    if code:
        print(output)
        print("the scenarios fail already without a planted bug", file=sys.stderr)
        return 1
    print(f"{'planted bug':32} {'caught by':14} seconds")
    survived = []
    for path in bugs:
        bug = tomllib.loads(path.read_text())
        target = COPY / bug["file"]
        before = target.read_text()
        if before.count(bug["old"]) != 1:
            print(f"{path.name}: its text stands {before.count(bug['old'])} times in {bug['file']}", file=sys.stderr)
            return 1
        start = time.monotonic()
        target.write_text(before.replace(bug["old"], bug["new"]))
        try:
            code, output = scenarios()
        finally:
            target.write_text(before)
        if code and "test result: FAILED" not in output:
            print(output)
            print(f"{path.name}: it does not build", file=sys.stderr)
            return 1
        verified = "stopped by the verification" in output
        caught = ("verification" if verified else "expectations") if code else "NOBODY"
        print(f"{path.stem:32} {caught:14} {time.monotonic() - start:.0f}", flush=True)
        if not code:
            survived.append(path.stem)
    if survived:
        print(f"not noticed: {', '.join(survived)}", file=sys.stderr)
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())

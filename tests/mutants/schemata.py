"""Writes all mutants into one copy of the sources, so that they are built once.

`cargo mutants --list` says which text of which function is replaced by what. In the copy, such a function has its body once for every
mutant and once unchanged, and `AMIDST_MUTANT=17` in the environment of a test decides which one runs:

    fn most(a: u32, b: u32) -> u32 {
        match crate::mutant::on(3) {
            17 => { 0 }
            18 => { if a < b { a } else { b } }
            _ => { if a > b { a } else { b } }
        }
    }

Mutants that do not compile are found where the compiler complains, and left out.
"""

import dataclasses
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FOLDER = ROOT / "target" / "mutation"
COPY = FOLDER / "source"
UNVIABLE = "does not compile"
UNTRIED = "cannot be switched on"
# The programs of the tests. All else is as `cargo test --workspace` has it already, so that nothing is built twice.
TESTS = ["cargo", "test", "--workspace", "--no-run", "--message-format", "json", "--jobs", "2", "--target-dir", str(ROOT / "target")]
TESTS += ["--config", "profile.dev.package.amidst.opt-level=1", "--config", "profile.dev.package.amidst.debug=false"]

# What opens a body, and what a brace or bracket before it may stand in.
TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\])*\"|'[^'\\]'|[()\[\]{]", re.DOTALL)


@dataclasses.dataclass
class Mutant:
    number: int
    name: str
    file: str
    genre: str
    outer: tuple[int, int]  # the function around it
    span: tuple[int, int]  # what is replaced
    replacement: str
    returns: str  # the type of the function's value
    function: int = 0

    @property
    def area(self) -> str:
        return pathlib.PurePath(self.file).relative_to("crates/amidst/src").parts[0].removesuffix(".rs")

    @property
    def key(self) -> str:
        """The name without the place, which other changes move."""
        return re.sub(r":\d+:\d+:", ":", self.name, count=1)


def listed() -> list[Mutant]:
    """What cargo-mutants would try (.cargo/mutants.toml)."""
    path = folder() / "listed.json"
    if not path.is_file():
        command = ["cargo", "mutants", "--list", "--json"]
        path.write_bytes(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)
    output = path.read_text()
    texts: dict[str, str] = {}
    mutants = []
    for number, entry in enumerate(json.loads(output), 1):
        file = entry["file"]
        text = texts.setdefault(file, (ROOT / file).read_text())
        starts = [0] + [match.end() for match in re.finditer("\n", text)]

        def span(of: dict) -> tuple[int, int]:
            return tuple(starts[of[end]["line"] - 1] + of[end]["column"] - 1 for end in ("start", "end"))

        function = entry["function"]
        returns = function["return_type"] if function else ""
        outer = span(function["span"]) if function else (0, 0)
        mutants.append(Mutant(number, entry["name"], file, entry["genre"], outer, span(entry["span"]), entry["replacement"], returns))
    return mutants


def folder() -> pathlib.Path:
    """For what holds as long as the library does not change."""
    files = [*sorted((ROOT / "crates/amidst/src").rglob("*.rs")), ROOT / ".cargo/mutants.toml"]
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]
    path = FOLDER / digest
    path.mkdir(parents=True, exist_ok=True)
    return path


def body(text: str, function: tuple[int, int]) -> int:
    """Where the body of a function begins: its brace."""
    depth = 0
    for token in TOKEN.finditer(text, *function):
        if token.group() in "([":
            depth += 1
        elif token.group() in ")]":
            depth -= 1
        elif token.group() == "{" and depth == 0:
            return token.start()
    raise ValueError(f"a function without a body: {text[slice(*function)][:80]}")


def switched(text: str, mutants: list[Mutant]) -> tuple[str, list[tuple[int, int, list[Mutant]]]]:
    """A file with its mutants; and the lines of each, and of each function for all of its mutants."""
    functions: dict[tuple[int, int], list[Mutant]] = {}
    for mutant in mutants:
        functions.setdefault(mutant.outer, []).append(mutant)
    parts, places, done, line = [], [], 0, 1

    def put(part: str) -> None:
        nonlocal line
        parts.append(part)
        line += part.count("\n")

    for (start, end), inner in sorted(functions.items()):
        brace = body(text, (start, end))
        put(text[done:start])
        first = line
        put(text[start:brace].replace("const fn", "fn") + "{\nmatch crate::mutant::on(" + str(inner[0].function) + ") {\n")
        for mutant in inner:
            begin, stop = mutant.span
            here = line
            put(f"{mutant.number} => {{\n" + text[brace + 1 : begin] + mutant.replacement + text[stop : end - 1] + "\n}\n")
            places.append((here, line - 1, [mutant]))
        put("_ => {\n" + text[brace + 1 : end - 1] + "\n}\n}\n}")
        places.append((first, line, inner))
        done = end
    put(text[done:])
    return "".join(parts), places


class Schemata:
    """The copy of the sources with all mutants that compile."""

    def __init__(self, mutants: list[Mutant]):
        outermost(mutants)
        self.all = mutants
        # Why mutants are left out, by their numbers.
        self.dropped = folder() / "dropped.json"
        self.without: dict[str, str] = json.loads(self.dropped.read_text()) if self.dropped.is_file() else {}
        # Constants are no functions, and `impl Iterator` is another type in every body.
        self.without |= {str(mutant.number): UNTRIED for mutant in mutants if mutant.function == 0 or "impl " in mutant.returns}
        self.places: dict[str, list[tuple[int, int, list[Mutant]]]] = {}

    @property
    def mutants(self) -> list[Mutant]:
        return [mutant for mutant in self.all if str(mutant.number) not in self.without]

    def left_out(self, why: str) -> list[Mutant]:
        return [mutant for mutant in self.all if self.without.get(str(mutant.number)) == why]

    def write(self) -> None:
        """Writes the copy; files that did not change keep their times, so that little is built anew."""
        files: dict[str, list[Mutant]] = {}
        for mutant in self.mutants:
            files.setdefault(mutant.file, []).append(mutant)
        tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
        for name in tracked:
            if name.endswith(".rs") and (ROOT / name).is_file():
                text = (ROOT / name).read_text()
                if name in files:
                    text, self.places[name] = switched(text, files[name])
                if name == "crates/amidst/src/lib.rs":
                    text += "\nmod mutant;\n"
                put(COPY / name, text.encode())
            elif (ROOT / name).is_file():
                put(COPY / name, (ROOT / name).read_bytes())
        put(COPY / "crates/amidst/src/mutant.rs", (HERE / "switch.rs").read_bytes())
        known = {*tracked, "crates/amidst/src/mutant.rs"}
        for path in COPY.rglob("*.rs"):
            if str(path.relative_to(COPY)) not in known:
                path.unlink()

    def build(self, tests: list[str]) -> dict[str, str]:
        """Builds these tests with all mutants that compile; `lib` are the unit tests. Their programs, and the folder where each runs."""
        command = TESTS + [word for test in tests for word in (["--lib"] if test == "lib" else ["--test", test])]
        while True:
            self.write()
            run = subprocess.run(command, cwd=COPY, env={**os.environ, "CARGO_INCREMENTAL": "0"}, stdout=subprocess.PIPE, text=True)
            messages = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]
            if run.returncode == 0:
                break
            self.drop(messages)
        artifacts = [message for message in messages if message["reason"] == "compiler-artifact" and message["profile"]["test"]]
        return {made["executable"]: str(pathlib.Path(made["manifest_path"]).parent) for made in artifacts if made["executable"]}

    def drop(self, messages: list[dict]) -> None:
        """Leaves out what does not compile."""
        alone: set[int] = set()
        together: set[int] = set()
        for message in messages:
            if message["reason"] != "compiler-message" or message["message"]["level"] != "error":
                continue
            for span in message["message"]["spans"]:
                around = [place for place in self.places.get(span["file_name"], []) if place[0] <= span["line_start"] <= place[1]]
                if not span["is_primary"] or not around:
                    continue
                first, last, inner = min(around, key=lambda place: place[1] - place[0])
                (alone if len(around) > 1 else together).update(mutant.number for mutant in inner)
        dropped = alone | together
        if not dropped:
            rendered = [m["message"]["rendered"] for m in messages if m["reason"] == "compiler-message" and m["message"]["level"] == "error"]
            sys.exit("\n".join(rendered) + "\nthe copy does not compile, and not because of a mutant")
        self.without |= {str(number): UNVIABLE if number in alone else UNTRIED for number in dropped}
        self.dropped.write_text(json.dumps(self.without))
        print(f"{len(dropped)} mutants do not compile; {len(self.mutants)} are left", flush=True)


def outermost(mutants: list[Mutant]) -> None:
    """Gives functions their numbers; a function within another one is part of that."""
    spans = sorted({(mutant.file, *mutant.outer) for mutant in mutants if mutant.outer != (0, 0)})
    numbers: dict[tuple[str, int, int], int] = {}
    for mutant in mutants:
        around = [s for s in spans if s[0] == mutant.file and s[1] <= mutant.outer[0] and mutant.outer[1] <= s[2]]
        if mutant.outer != (0, 0):
            widest = min(around, key=lambda s: s[1])
            mutant.outer = widest[1:]
            mutant.function = numbers.setdefault(widest, len(numbers) + 1)


def put(path: pathlib.Path, content: bytes) -> None:
    if not path.is_file() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


"""The compiled part of amidst. Use the functions of the package itself, which explain their arguments and have defaults."""

from collections.abc import Callable
from os import PathLike
from typing import Any, Final, final

__all__ = [
    "VERSION",
    "ArrowTable",
    "Made",
    "anonymize",
    "attack",
    "audit",
    "bound",
    "compare",
    "dry_run",
    "explain",
    "extend",
    "fingerprint",
    "hierarchy_lines",
    "init",
    "list_members",
    "make_key",
    "measure",
    "plan_from_toml",
    "plan_to_toml",
    "risk",
    "save_plan",
    "save_release",
    "save_report",
]

VERSION: Final[str]

_Progress = Callable[[str, int, int], object]

@final
class ArrowTable:
    """A table in memory that every library with the Arrow PyCapsule interface can read, without copying."""

    @property
    def column_names(self) -> list[str]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def take(self, rows: list[int]) -> ArrowTable: ...
    def first(self, rows: int) -> list[list[str]]: ...
    def __len__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, tuple[bytes]]: ...
    @staticmethod
    def _from_bytes(bytes: bytes) -> ArrowTable: ...

@final
class Made:
    def report(self) -> tuple[str, str]: ...
    def plan(self) -> str: ...
    def dictionary(self) -> str: ...
    def tables(self) -> list[tuple[str, ArrowTable]]: ...
    def rows(self) -> list[int]: ...
    def taken(self) -> str: ...

def anonymize(
    table: Any,
    name: str,
    asked: str,
    tables: list[tuple[str, Any]],
    output: str | PathLike[str] | None,
    measures: str,
    certify: str | None,
    reports: list[str | PathLike[str]],
    public_reports: list[str | PathLike[str]],
    threads: int | None,
    memory: str | None,
    progress: _Progress | None,
) -> Made: ...
def audit(
    release: Any,
    parts: list[tuple[str, Any]],
    name: str,
    asked: str,
    original: Any | None,
    tables: list[tuple[str, Any]],
    threads: int | None,
    progress: _Progress | None,
) -> tuple[str, str]: ...
def measure(
    original: Any,
    name: str,
    release: Any,
    parts: list[tuple[str, Any]],
    asked: str,
    measures: str,
    threads: int | None,
    progress: _Progress | None,
) -> tuple[str, str]: ...
def attack(
    original: Any,
    name: str,
    release: Any,
    parts: list[tuple[str, Any]],
    asked: str,
    attacks: str,
    threads: int | None,
    progress: _Progress | None,
) -> tuple[str, str, bool]: ...
def dry_run(
    table: Any,
    name: str,
    asked: str,
    tables: list[tuple[str, Any]],
    output: str | PathLike[str] | None,
    threads: int | None,
    memory: str | None,
    progress: _Progress | None,
) -> tuple[str, str]: ...
def explain(
    release: Any,
    parts: list[tuple[str, Any]],
    name: str,
    asked: str | None,
    original: Any | None,
    row: int | None,
    column: str | None,
    threads: int | None,
    progress: _Progress | None,
) -> tuple[str, str]: ...
def extend(
    table: Any,
    name: str,
    release: Any,
    asked: str,
    purpose: str,
    unmatched: str,
    own: list[int | None],
    threads: int | None,
    progress: _Progress | None,
) -> ArrowTable: ...
def fingerprint(table: Any, name: str) -> str: ...
def bound(
    table: Any, name: str, asked: str, time: str, threads: int | None, progress: _Progress | None
) -> tuple[str, str]: ...
def compare(
    table: Any,
    name: str,
    asked: str,
    ks: list[int],
    ls: list[float],
    rows: list[int],
    algorithms: str,
    measures: str,
    limit: float,
    page: str | PathLike[str] | None,
    threads: int | None,
    progress: _Progress | None,
) -> tuple[str, str]: ...
def init(
    table: Any,
    name: str,
    k: int,
    delimiter: str | None,
    encoding: str | None,
    header: bool | None,
    missing: list[str],
    missing_only: bool,
    progress: _Progress | None,
) -> tuple[str, list[str]]: ...
def risk(
    table: Any,
    parts: list[tuple[str, Any]],
    name: str,
    asked: str,
    population: Any | None,
    sample: float | None,
    threshold: float | None,
    threads: int | None,
    progress: _Progress | None,
) -> tuple[str, str]: ...
def list_members(list: str) -> str: ...
def make_key(file: str | PathLike[str]) -> None: ...
def plan_from_toml(file: str | PathLike[str]) -> str: ...
def plan_to_toml(plan: str, remarks: list[tuple[str, str]]) -> str: ...
def save_plan(file: str | PathLike[str], toml: str) -> None: ...
def save_release(
    release: Any,
    parts: list[tuple[str, Any]],
    asked: str,
    dictionary: str,
    output: str | PathLike[str],
    progress: _Progress | None,
) -> None: ...
def save_report(
    made: Made,
    table: Any,
    name: str,
    asked: str,
    reports: list[str | PathLike[str]],
    public_reports: list[str | PathLike[str]],
    progress: _Progress | None,
) -> None: ...
def hierarchy_lines(table: Any, name: str) -> str: ...

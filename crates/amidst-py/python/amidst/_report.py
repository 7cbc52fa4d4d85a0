"""Releases and reports."""

from __future__ import annotations

import json
import os
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

from . import _card, _frames, _native
from ._errors import UsageError
from ._native import ArrowTable, Made
from ._plan import Plan


class Report(dict[str, Any]):
    """The figures of a command as a dict, like that of its `--json`. It prints like the report of the command line.

    Attributes
    ----------
    passed
        Whether the audit has no failures, or whether the adversaries broke no promise.
    """

    def __init__(self, figures: str, text: str, passed: bool = True) -> None:
        super().__init__(json.loads(figures))
        self._text = text
        self.passed = passed

    def __str__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self._text)}</pre>"


class Release:
    """A verified release: the tables to publish, and what is known about them.

    You may give away `table`, `parts` and `dictionary`. Keep the rest with the original: `plan` has the seed, `report` has
    figures of the original, and `rows` says who is who. A pickle has neither `rows` nor the seed, but it has the figures and the plan.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> release = amidst.anonymize(people, quasi=["age", "zip", "sex"], identifier="name", sensitive="disease", k=3)
    >>> release.to_csv(folder / "release.csv")
    >>> sorted(file.name for file in folder.iterdir())
    ['release.csv', 'release.dictionary.json', 'release.manifest.json', 'release.plan.toml']
    >>> release.report(folder / "report.html")["achieved"]["k"]
    3
    """

    def __init__(self, made: Made, table: _frames.Frame, output: Path | None, key: Any = None) -> None:
        self._made: Made | None = made
        self._given = _frames.template(table)
        self._output = output
        # The original and the key, for a report that somebody wants later. No pickle has them.
        self._original = (table, key)

    def __getstate__(self) -> dict[str, Any]:
        text = "".join(line for line in str(self._report).splitlines(keepends=True) if not _tells_the_seed(line))
        report = {name: value for name, value in self._report.items() if name not in (*_SECRETS, "details")}
        method = {name: value for name, value in self.plan["method"].items() if name not in _SECRETS}
        return {
            "arrow": self.arrow,
            "plan": Plan({**self.plan, "method": method}),
            "dictionary": self.dictionary,
            "taken": self.taken,
            # The types of the release itself: those of the original may name values that only rows have that were left out.
            "_given": _frames.template(self.table),
            "_output": self._output,
            "_report": report,
            "_text": text,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        report = Report(json.dumps(state["_report"]), state["_text"])
        self.__dict__.update({**state, "_report": report, "_made": None, "_original": None})
        del self.__dict__["_text"]

    @cached_property
    def arrow(self) -> dict[str, ArrowTable]:
        """The tables that were verified: the release under the empty name, and its parts, if it has any."""
        return dict(self._fresh.tables())

    @cached_property
    def table(self) -> _frames.Frame:
        """The release: a frame of the kind that you passed, or the path of the file that it was written to."""
        if self._output is not None:
            return self._output
        return _frames.like(self._given, self.arrow[""], self.plan._untouched())

    @cached_property
    def parts(self) -> dict[str, _frames.Frame]:
        """The other tables of the release, for forms that have several."""
        if self._output is not None:
            return {Path(path).name: Path(path) for path in self.report().get("parts", [])}
        return {name: _frames.like(self._given, part, {}) for name, part in self.arrow.items() if name}

    @cached_property
    def plan(self) -> Plan:
        """The complete plan with its seed. It makes the same release from the same table again. Do not publish it."""
        return Plan(json.loads(self._fresh.plan()))

    @cached_property
    def dictionary(self) -> dict[str, Any]:
        """What each column of the release is and how to read its cells. Publish it with the release."""
        described: dict[str, Any] = json.loads(self._fresh.dictionary())
        return described

    @cached_property
    def rows(self) -> list[int]:
        """The row of the original that each published row comes from, counted from 0. Do not publish it. No pickle has it."""
        return self._fresh.rows()

    @cached_property
    def taken(self) -> dict[str, str]:
        """The kinds that were chosen by the values, for columns without a kind."""
        return dict(json.loads(self._fresh.taken()))

    @property
    def _fresh(self) -> Made:
        if self._made is None:
            raise UsageError("this release was loaded from a pickle, which does not say which row is whose")
        return self._made

    @cached_property
    def _report(self) -> Report:
        return Report(*self._fresh.report())

    def report(
        self, file: str | os.PathLike[str] | None = None, *, public: str | os.PathLike[str] | None = None
    ) -> Report:
        """What the release reaches and what it loses, like the `--json` of the command line. Do not publish it.

        Parameters
        ----------
        file
            A file for the internal report: a page (.html), or the same facts as .json or .txt. Do not give it to recipients. What the
            page counts is not kept, so the original is read again, and the release is verified again. It must not have changed.
        public
            A file for the report that recipients may have.
        """
        if file is not None or public is not None:
            if self._original is None:
                raise UsageError("a pickle has no original to report about; write the report before, or make the release again")
            table, key = self._original
            asked = {"plan": dict(self.plan), "changes": {} if key is None else {"key": os.fspath(key)}}
            _native.save_report(
                self._fresh,
                _frames.arrow(table),
                _frames.name_of(table),
                json.dumps(asked),
                reports=[] if file is None else [file],
                public_reports=[] if public is None else [public],
                progress=None,
            )
        return self._report

    def to_csv(self, file: str | os.PathLike[str]) -> None:
        """Writes the release to a CSV file, with its plan, dictionary and manifest beside it, like `output=` of `anonymize`.

        What is written is read back and compared with what was verified, cell by cell. Then all files appear at once, or none does.
        The name may end in .gz or .zst. Do not give the plan to recipients.
        """
        self._save(file, parquet=False)

    def to_parquet(self, file: str | os.PathLike[str]) -> None:
        """Writes the release to a Parquet file, whose name ends in .parquet, in the same way as `to_csv`."""
        self._save(file, parquet=True)

    def _save(self, file: str | os.PathLike[str], parquet: bool) -> None:
        if self._output is not None:
            raise UsageError(f"the release is in {os.fspath(self._output)!r} already; copy it with the files beside it")
        if (Path(file).suffix in (".parquet", ".pq")) != parquet:
            raise UsageError(
                f"{os.fspath(file)!r} does not end in .parquet" if parquet else f"{os.fspath(file)!r} is no name for CSV; use to_parquet"
            )
        parts = [(name, part) for name, part in self.arrow.items() if name]
        asked = json.dumps({"plan": dict(self.plan)})
        _native.save_release(self.arrow[""], parts, asked, json.dumps(self.dictionary), os.fspath(file), progress=None)

    def __len__(self) -> int:
        return int(self._report["rows"])

    def __str__(self) -> str:
        return str(self._report)

    def __repr__(self) -> str:
        report = self._report
        return f"<amidst.Release of {report['rows']} rows in {report['classes']} classes, k = {report['achieved']['k']}>"

    def _repr_html_(self) -> str:
        rows = None if self._output is not None else self.arrow[""]
        return _card.card(self._report, self.plan, rows)


_SECRETS = ("seed", "fingerprint_key")


def _tells_the_seed(line: str) -> bool:
    return line.lstrip().startswith("seed")

"""Releases and reports."""

from __future__ import annotations

import json
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

from . import _frames
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
    figures of the original, `rows` says who is who, and a pickle holds all of these.
    """

    def __init__(self, made: Made, table: _frames.Frame, output: Path | None) -> None:
        self._made = made
        self._given = _frames.template(table)
        self._output = output

    def __getstate__(self) -> dict[str, Any]:
        for name in ("arrow", "plan", "dictionary", "rows", "taken", "_report"):
            getattr(self, name)
        kept = {name: value for name, value in self.__dict__.items() if name not in ("_made", "table", "parts")}
        return {**kept, "_report": dict(self._report), "_text": str(self._report)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        text = state.pop("_text")
        self.__dict__.update(state)
        self.__dict__["_report"] = Report(json.dumps(state["_report"]), text)

    @cached_property
    def arrow(self) -> dict[str, ArrowTable]:
        """The tables that were verified: the release under the empty name, and its parts, if it has any."""
        return dict(self._made.tables())

    @cached_property
    def table(self) -> _frames.Frame:
        """The release: a frame of the kind that you passed, or the path of the file that it was written to."""
        if self._output is not None:
            return self._output
        # Columns that are replaced do not get their type back.
        replaced = {name for name, column in self.plan["columns"].items() if "publish" in column}
        roles = {name: role for name, role in self.plan.roles().items() if name not in replaced}
        return _frames.like(self._given, self.arrow[""], roles)

    @cached_property
    def parts(self) -> dict[str, _frames.Frame]:
        """The other tables of the release, for forms that have several."""
        if self._output is not None:
            return {Path(path).name: Path(path) for path in self.report().get("parts", [])}
        return {name: _frames.like(self._given, part, {}) for name, part in self.arrow.items() if name}

    @cached_property
    def plan(self) -> Plan:
        """The complete plan with its seed. It makes the same release from the same table again. Do not publish it."""
        return Plan(json.loads(self._made.plan()))

    @cached_property
    def dictionary(self) -> dict[str, Any]:
        """What each column of the release is and how to read its cells. Publish it with the release."""
        described: dict[str, Any] = json.loads(self._made.dictionary())
        return described

    @cached_property
    def rows(self) -> list[int]:
        """The row of the original that each published row comes from, counted from 0. Do not publish it."""
        return self._made.rows()

    @cached_property
    def taken(self) -> dict[str, str]:
        """The kinds that were chosen by the values, for columns without a kind."""
        return dict(json.loads(self._made.taken()))

    @cached_property
    def _report(self) -> Report:
        return Report(*self._made.report())

    def report(self) -> Report:
        """What the release reaches and what it loses, like the `--json` of the command line. Do not publish it."""
        return self._report

    def __len__(self) -> int:
        return int(self._report["rows"])

    def __str__(self) -> str:
        return str(self._report)

    def __repr__(self) -> str:
        report = self._report
        return f"<amidst.Release of {report['rows']} rows in {report['classes']} classes, k = {report['achieved']['k']}>"

    def _repr_html_(self) -> str:
        report, plan = self._report, self.plan
        asked = [f"k = {plan['privacy']['k']}", *plan["privacy"].get("require", [])]
        rows = [
            ("rows", f"{report['rows']:,}"),
            ("classes", f"{report['classes']:,}"),
            ("asked for", ", ".join(asked)),
            ("reached", f"k = {report['achieved']['k']}"),
        ]
        for column, levels in report["achieved"].get("sensitive", {}).items():
            rows.append((f"{column}", f"l = {levels['l']:.3g}, t = {levels['t']:.3g}"))
        loss = [f"{name} {value:.4f}" for name, value in report["loss"].items() if name in ("lm", "ncp", "c-avg")]
        rows.append(("loss", ", ".join(loss)))
        rows.append(("form", report["publish"]))
        body = "".join(
            f"<tr><th style='text-align:left'>{escape(name)}</th><td style='text-align:left'>{escape(value)}</td></tr>"
            for name, value in rows
        )
        return f"<table><caption>a verified release</caption><tbody>{body}</tbody></table>"

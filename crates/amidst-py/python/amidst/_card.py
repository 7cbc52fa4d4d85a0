"""What a notebook shows of a release."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from ._native import ArrowTable

_SHOWN_ROWS = 5
_VERDICTS = {
    "green": ("#1a7f37", "Verified: all requirements are met"),
    "amber": ("#9a6700", "Verified, but read this before you hand it out"),
    "red": ("#cf222e", "A requirement is not met"),
}


def card(report: Mapping[str, Any], plan: Mapping[str, Any], table: ArrowTable | None) -> str:
    """A compact card: the verdict in its colour with the reasons, what is reached and lost, and the first rows."""
    verdict = report["verdict"]
    colour, heading = _VERDICTS[verdict["colour"]]
    reasons = "".join(f"<li>{escape(reason['message'])}</li>" for reason in verdict["reasons"])
    lines = "".join(
        f"<tr><th style='text-align:left'>{escape(name)}</th><td style='text-align:left'>{escape(value)}</td></tr>"
        for name, value in _figures(report, plan)
    )
    return (
        f"<div style='border-left:4px solid {colour};padding-left:.8em'>"
        f"<p><strong style='color:{colour}'>{escape(heading)}</strong></p>"
        + (f"<ul>{reasons}</ul>" if reasons else "")
        + f"<table><caption>a verified release</caption><tbody>{lines}</tbody></table>"
        + (_rows(table) if table is not None else "")
        + "</div>"
    )


def _figures(report: Mapping[str, Any], plan: Mapping[str, Any]) -> list[tuple[str, str]]:
    asked = [f"k = {plan['privacy']['k']}", *plan["privacy"].get("require", [])]
    loss = [f"{name} {value:.4f}" for name, value in report["loss"].items() if name in ("lm", "ncp", "c-avg")]
    figures = [
        ("rows", f"{report['rows']:,}"),
        ("classes", f"{report['classes']:,}"),
        ("asked for", ", ".join(asked)),
        ("reached", f"k = {report['achieved']['k']}"),
    ]
    for column, levels in report["achieved"].get("sensitive", {}).items():
        figures.append((column, f"l = {levels['l']:.3g}, t = {levels['t']:.3g}"))
    return [*figures, ("loss", ", ".join(loss)), ("form", report["publish"])]


def _rows(table: ArrowTable) -> str:
    def line(tag: str, cells: list[str]) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    rows = "".join(line("td", cells) for cells in table.first(_SHOWN_ROWS))
    left = len(table) - _SHOWN_ROWS
    more = f"<p>and {left:,} more rows</p>" if left > 0 else ""
    return f"<table><thead>{line('th', table.column_names)}</thead><tbody>{rows}</tbody></table>{more}"

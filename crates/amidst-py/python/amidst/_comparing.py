"""What could be reached for a table: `compare` and `bound`. Neither publishes anything."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from . import _frames, _native
from ._asked import asked, listed, proof_time
from ._frames import Frame
from ._options import BoundOptions, CompareOptions, Names, takes
from ._progress import watched
from ._report import Report

if TYPE_CHECKING:
    from typing_extensions import Unpack


@takes(CompareOptions)
def compare(
    table: Frame,
    quasi: Names = None,
    *,
    k: int | Sequence[int] = (5, 10, 25, 50, 100),
    l: float | Sequence[float] = (),  # noqa: E741
    rows: int | Sequence[int] = (),
    algorithms: Names = "all",
    measures: Names = ("lm", "ncp"),
    limit: float = 120.0,
    report: str | os.PathLike[str] | None = None,
    **options: Unpack[CompareOptions],
) -> Report:
    """Runs several algorithms with several values of k on a table and compares them. Publishes nothing.

    Parameters
    ----------
    table
        A data frame, or the path of a file.
    quasi
        The quasi-identifiers, if there is no plan.
    k, l
        The values of k and of l.
    rows
        How many records to take, drawn at random. By default all.
    algorithms
        The algorithms: all, or names of `list_partitioners`.
    measures
        What to measure: quick, all, or names of `list_measures`.
    limit
        How many seconds a run may take. Then it is stopped, and its row says so.
    report
        A file for a page with charts (.html): loss against k and l, time against the number of rows, loss against risk.

    Returns
    -------
    Report
        ``report["runs"]`` is a list with a dict for each run.

    Examples
    --------
    >>> found = amidst.compare(people, quasi=["age", "sex"], k=[2, 3], algorithms=["engine", "mondrian"])
    >>> [(run["k"], run["partitioner"], run["classes"]) for run in found["runs"]]
    [(2, 'engine', 6), (2, 'mondrian', 4), (3, 'engine', 4), (3, 'mondrian', 4)]
    """
    ks = [k] if isinstance(k, int) else list(k)
    ls = [l] if isinstance(l, (int, float)) else list(l)
    first = {"k": ks[0] if ks else None, "l": ls[0] if ls else None}
    request = asked(compare, table, options, options.get("plan"), quasi=quasi, **first)
    with watched(options.get("progress")) as callback:
        figures, text = _native.compare(
            _frames.arrow(table),
            _frames.name_of(table),
            request,
            ks=ks,
            ls=ls,
            rows=[rows] if isinstance(rows, int) else list(rows),
            algorithms=listed(algorithms, "all", "algorithms"),
            measures=listed(measures, "quick"),
            limit=limit,
            page=report,
            threads=options.get("threads"),
            progress=callback,
        )
    return Report(figures, text)


@takes(BoundOptions)
def bound(
    table: Frame, quasi: Names = None, *, time: str | float = "60s", **options: Unpack[BoundOptions]
) -> Report:
    """Proves a lower bound on the loss of any release of a table. Publishes nothing.

    Parameters
    ----------
    table
        A data frame, or the path of a file.
    quasi
        The quasi-identifiers, if there is no plan.
    time
        How long the proof may take: a number of seconds, or a text such as ``"5m"``. When the time is up, what is proven until then
        counts. ``"full"`` has no limit, and proves the same on every machine.

    Examples
    --------
    >>> found = amidst.bound(people, quasi=["age", "sex"], k=3)
    >>> found["rows"], found["k"]
    (12, 3)
    >>> release = amidst.anonymize(people, quasi=["age", "sex"], others="drop", k=3)
    >>> found["bound"]["loss"] <= release.report()["loss"]["lm"]
    True
    """
    request = asked(bound, table, options, options.get("plan"), quasi=quasi)
    with watched(options.get("progress")) as callback:
        figures, text = _native.bound(
            _frames.arrow(table),
            _frames.name_of(table),
            request,
            time=proof_time(time, "time") or "",
            threads=options.get("threads"),
            progress=callback,
        )
    return Report(figures, text)

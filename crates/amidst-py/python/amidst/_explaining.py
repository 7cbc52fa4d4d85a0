"""Why a release is as general as it is: `explain`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _frames, _native, _types
from ._asked import asked, released
from ._errors import UsageError
from ._frames import Frame
from ._options import ExplainOptions, takes
from ._progress import watched
from ._report import Release, Report

if TYPE_CHECKING:
    from typing_extensions import Unpack


@takes(ExplainOptions)
def explain(
    release: Frame | Release,
    *,
    row: int | None = None,
    column: str | None = None,
    original: Frame | None = None,
    **options: Unpack[ExplainOptions],
) -> Report:
    """Explains why a row or a column of a release is as general as it is.

    Parameters
    ----------
    release
        A `Release`, which has its plan; or a data frame with a plan, or the path of a file. A file that amidst wrote has its plan beside it.
    row
        A row of the release, counted from 1: its class, what the class reaches, its cells and what they lose.
    column
        A quasi-identifier: how much it loses, how wide its cells are, and which of them lose most.
    original
        The table that the release was made from. Then the values that make a cell wide are named, and other choices for a column are tried
        on up to 20,000 rows. Do not give that to recipients.

    Examples
    --------
    >>> release = amidst.anonymize(people, quasi=["age", "zip", "sex"], sensitive="disease", identifier="name", k=3)
    >>> found = amidst.explain(release, row=1)
    >>> found["row"]["class_rows"] >= 3
    True
    >>> {cell["column"] for cell in found["row"]["cells"]} == {"age", "zip", "sex"}
    True
    """
    if row is None and column is None:
        raise UsageError("name a row or a column")
    _types.check({"row": row, "column": column}, {"row": int | None, "column": str | None})
    if row is not None and row < 1:
        raise UsageError(f"row must be 1 or more, not {row}; rows are counted from 1")
    table, parts, plan = released(release, options)
    request = None if plan is None else asked(explain, None, options, plan)
    with watched(options.get("progress")) as callback:
        figures, text = _native.explain(
            table,
            parts,
            _frames.name_of(original),
            request,
            original=None if original is None else _frames.arrow(original),
            row=row,
            column=column,
            threads=options.get("threads"),
            progress=callback,
        )
    return Report(figures, text)

"""Trees over the values of a column."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from . import _frames, _native


class Hierarchy(dict[str, Any]):
    """How to build a tree, as in a plan. `widths`, `dates`, `mask`, `flat` and `levels` make one."""


def widths(*sizes: float) -> Hierarchy:
    """Ranges of numbers. Each width is a multiple of the one before.

    Examples
    --------
    >>> import amidst
    >>> amidst.widths(5, 10, 20)  # 37 becomes [35-39], [30-39], [20-39], *
    {'widths': [5.0, 10.0, 20.0]}
    """
    return Hierarchy(widths=[float(size) for size in sizes])


def dates(*units: str) -> Hierarchy:
    """Calendar units of dates or times, from small to large: day, month, quarter, year, decade.

    Examples
    --------
    >>> import amidst
    >>> amidst.dates("month", "year")
    {'dates': ['month', 'year']}
    """
    return Hierarchy(dates=list(units))


def mask(*counts: int) -> Hierarchy:
    """Texts with this many characters masked from the right, level by level.

    Examples
    --------
    >>> import amidst
    >>> amidst.mask(1, 2, 3)  # 75275 becomes 7527*, 752**, 75***, *
    {'mask': [1, 2, 3]}
    """
    return Hierarchy(mask=list(counts))


def flat(root: str = "*") -> Hierarchy:
    """A tree with every value right below the root."""
    return Hierarchy(flat=root)


def levels(frame: _frames.Frame) -> Hierarchy:
    """A tree from a data frame with a column for each level, from the values to the root. Empty cells are skipped.

    Examples
    --------
    >>> import amidst, pandas as pd
    >>> amidst.levels(pd.DataFrame({"town": ["Ulm", "Bonn"], "part": ["South", "West"], "all": "*"}))
    {'lines': 'Ulm;South;*\\nBonn;West;*\\n'}
    """
    return Hierarchy(lines=_native.hierarchy_lines(_frames.arrow(frame), _frames.name_of(frame)))


def tree(given: Any) -> Any:
    """The tree as a plan has it. It is given as a builder, nested dicts and lists, a data frame, or the path of a file."""
    if isinstance(given, Hierarchy):
        return dict(given)
    if isinstance(given, Mapping):
        return {"nested": _nested(given)}
    if isinstance(given, (str, os.PathLike)):
        return os.fspath(given)
    return levels(given)


def _nested(given: Any) -> Any:
    if isinstance(given, Mapping):
        return {str(label): _nested(below) for label, below in given.items()}
    if isinstance(given, (list, tuple, set, frozenset)):
        return [_nested(item) for item in (sorted(given, key=str) if isinstance(given, (set, frozenset)) else given)]
    return str(given)

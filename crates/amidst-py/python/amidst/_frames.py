"""Data frames of all kinds. The result is of the kind that was passed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from os import PathLike
from typing import Any

from ._errors import UsageError
from ._native import ArrowTable

Frame = Any
"""Anything with the Arrow PyCapsule interface, or the path of a file."""


def is_path(table: object) -> bool:
    """True for what names a file."""
    return isinstance(table, (str, PathLike))


def kind_of(table: object) -> str:
    """The library that a frame is from."""
    for base in type(table).__mro__:
        library = base.__module__.split(".")[0].lstrip("_")
        if library in ("pandas", "polars", "pyarrow", "duckdb", "arro3"):
            return library
    return "path" if is_path(table) else "arrow"


def name_of(table: object) -> str:
    """What messages call a frame."""
    return type(table).__name__


def named(tables: Mapping[str, Frame] | None) -> list[tuple[str, Any]]:
    """Tables by their names, as objects with the PyCapsule interface, or paths."""
    return [(name, arrow(table)) for name, table in (tables or {}).items()]


def arrow(table: Frame) -> Any:
    """The frame as an object with the PyCapsule interface, or the path."""
    kind = kind_of(table)
    if kind == "pandas":
        return _from_pandas(table)
    if kind == "polars" and hasattr(table, "collect"):
        return table.collect()
    if kind == "duckdb" and not hasattr(table, "__arrow_c_stream__"):
        return table.arrow()
    return table


def template(table: Frame) -> tuple[str, Frame]:
    """The kind of a frame and its types, without its rows."""
    kind = kind_of(table)
    if kind == "pandas":
        return kind, table.head(0)
    if kind == "polars":
        return kind, (table.collect_schema(), hasattr(table, "collect"))
    return kind, None


def like(given: tuple[str, Frame], result: ArrowTable, untouched: Collection[str]) -> Frame:
    """The result as a frame of the kind that was passed. The columns that are untouched get their types back."""
    kind, table = given
    if kind == "pandas":
        return _to_pandas(table, result, untouched)
    if kind == "polars":
        return _to_polars(table, result, untouched)
    if kind == "pyarrow":
        import pyarrow

        return pyarrow.table(result)
    if kind == "duckdb":
        import duckdb
        import pyarrow

        return duckdb.from_arrow(pyarrow.table(result))
    if kind == "arro3":
        from arro3.core import Table

        return Table.from_arrow(result)
    return result


def with_index_of(table: Frame, result: Frame) -> Frame:
    """The result with the index of a pandas frame whose rows it has in the same order; any other as it is."""
    return result.set_axis(table.index, axis=0) if kind_of(table) == "pandas" else result


def ordered_categories(table: Frame) -> dict[str, list[str]]:
    """The categories, from low to high, of the columns of an ordered type."""
    if kind_of(table) != "pandas" or table.ndim != 2:
        return {}
    found = {}
    for column, dtype in table.dtypes.items():
        if getattr(dtype, "ordered", False) and hasattr(dtype, "categories"):
            found[column] = [str(category) for category in dtype.categories]
    return found


def _from_pandas(table: Frame) -> Any:
    """Leaves out the index, because nobody asked to publish it."""
    try:
        import pyarrow
    except ImportError as e:
        raise UsageError("a pandas frame needs pyarrow: pip install pyarrow") from e
    if table.ndim != 2:
        raise TypeError(f"{name_of(table)} is not a table; pass a data frame")
    strange = [name for name in table.columns if not isinstance(name, str)]
    if strange:
        raise UsageError(f"the column name {strange[0]!r} is not a text; rename it, for example with df.columns = df.columns.map(str)")
    try:
        return pyarrow.Table.from_pandas(table, preserve_index=False)
    except (pyarrow.ArrowException, ValueError, TypeError) as e:
        raise UsageError(f"the frame has a column that Arrow cannot hold: {e.args[-1] if e.args else e}") from e


def _to_pandas(table: Frame, result: ArrowTable, untouched: Collection[str]) -> Frame:
    """Columns that are published unchanged get their types back."""
    import pandas
    import pyarrow

    columns = pyarrow.table(result)
    frame = columns.to_pandas()
    for name in untouched:
        if name not in frame:
            continue
        dtype = table[name].dtype
        if hasattr(dtype, "categories"):
            # Their order is part of the type, also where pandas says that types are equal. But those that no row has would tell of
            # records that were left out.
            values = frame[name].astype("category")
            present = [category for category in dtype.categories if category in values.cat.categories]
            frame[name] = values.cat.set_categories(present, ordered=dtype.ordered)
        elif frame[name].dtype == dtype:
            continue
        elif hasattr(dtype, "__from_arrow__"):
            frame[name] = pandas.Series(dtype.__from_arrow__(columns.column(name)), index=frame.index)
        else:
            frame[name] = frame[name].astype(dtype)
    return frame


def _to_polars(table: Frame, result: ArrowTable, untouched: Collection[str]) -> Frame:
    """Columns that are published unchanged get their types back."""
    import polars

    came, lazy = table
    frame = polars.DataFrame(result)

    def like_before(name: str) -> Any:
        if not isinstance(came[name], polars.Enum):
            return came[name]
        # Categories that no row has would tell of records that were left out.
        present = set(frame[name].cast(polars.String).unique())
        return polars.Enum([category for category in came[name].categories if category in present])

    casts = [name for name in untouched if name in frame.columns and frame.schema[name] != came[name]]
    frame = frame.with_columns(polars.col(name).cast(like_before(name)) for name in casts)
    return frame.lazy() if lazy else frame

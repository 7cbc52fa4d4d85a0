"""Plans and releases: `init` and `anonymize`."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from . import _frames, _native
from ._asked import asked, files, listed, names, proof_time
from ._frames import Frame
from ._options import AnonymizeOptions, Files, Names, takes
from ._plan import Plan
from ._progress import Callback, watched
from ._report import Release, Report

if TYPE_CHECKING:
    from typing_extensions import Unpack


def init(
    table: Frame,
    *,
    k: int = 10,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    missing: Names = None,
    missing_only: bool = False,
    progress: Callback | bool | None = None,
) -> Plan:
    """Looks at a table and guesses a plan to start from.

    amidst cannot know which columns could single a person out. Read the plan and correct it.

    Parameters
    ----------
    table
        A data frame, or the path of a file.
    k
        The k to put into the plan.
    delimiter
        The character between the fields of a CSV file. By default the one that its first rows show.
    encoding
        The encoding of a CSV file, such as ``"windows-1252"``. By default its bytes show it.
    header
        Whether the first row of a CSV file has the names of the columns. Without one they become ``column_1``, ``column_2`` and so on.
        By default it has, and a first row that looks like data is refused.
    missing
        Texts that stand for a missing value, in addition to the usual ones.
    missing_only
        Let only the texts of `missing` stand for a missing value. Without one, none does.
    progress
        A function that is called with the stage, how much of it is done, and how much there is. True shows a bar, False
        nothing.

    Returns
    -------
    Plan
        The same as `amidst init` writes for the table.

    Examples
    --------
    >>> plan = amidst.init(people, k=3)
    >>> plan.roles()
    {'name': 'identifier', 'age': 'quasi', 'zip': 'quasi', 'sex': 'quasi', 'disease': 'sensitive'}
    >>> plan.reasons["name"]
    'text, 12 values; by its name; 12 values in 12 records'
    """
    with watched(progress) as callback:
        found, reasons = _native.init(
            _frames.arrow(table),
            _frames.name_of(table),
            k=k,
            delimiter=delimiter,
            encoding=encoding,
            header=header,
            missing=names(missing),
            missing_only=missing_only,
            progress=callback,
        )
    plan = Plan(json.loads(found))
    plan.reasons = dict(zip(plan["columns"], reasons, strict=True))
    return plan


guess_plan = init


@takes(AnonymizeOptions)
def anonymize(
    table: Frame,
    quasi: Names = None,
    *,
    keep_order: bool = False,
    tables: Mapping[str, Frame] | None = None,
    measures: Names = "quick",
    certify: bool | str | float = False,
    report: Files = (),
    public_report: Files = (),
    about: Mapping[str, str] | None = None,
    profile: Names = None,
    output: str | os.PathLike[str] | None = None,
    memory: int | str | None = None,
    **options: Unpack[AnonymizeOptions],
) -> Release:
    """Makes a release of a table and verifies it.

    In the quasi-identifiers of the release, every row looks the same as at least k - 1 other rows.

    Parameters
    ----------
    table
        A data frame of pandas, polars, pyarrow, duckdb, arro3 or anything else with the Arrow PyCapsule interface, or the
        path of a CSV or Parquet file. The index of a pandas frame is not part of it.
    quasi
        The quasi-identifiers: columns that could single a person out together. Columns that you do not name are published
        unchanged.
    keep_order
        True keeps the rows in the order of the table. By default they are published in a secret order, because the order of rows can
        identify people: whoever has the table can compare both row by row. A plan that says ``order = "keep"`` keeps it, too.
    tables
        Other tables of the same persons, by the names that the plan has for them under ``tables``. They are published together with
        this one: see `Release.parts`. Without this the plan's files are read.
    measures
        What to measure: quick, all, or names of `list_measures`.
    certify
        Prove how far from the best possible the release is at most. True takes at most twice as long as the run until then, and at least
        a second if the proof needs that. A number of seconds or a text such as ``"60s"`` or ``"5m"`` sets the time. When it is up, what
        is proven until then counts. ``"full"`` has no limit, and proves the same on every machine. The release does not depend on it.
    report
        Files for the internal report: a page (.html), or the same facts as .json or .txt. It has the seed and figures of the
        original. Do not give it to recipients.
    public_report
        Files for the report that recipients may have, in the same formats.
    about
        What the reports say of the people who answer for the release, by field: organisation, recipient, purpose, contact, signed_by,
        date. The reports leave a blank line for each that is not given.
    profile
        Checklists of the internal report: hipaa, gdpr, ema or iso27559. Each question has the figure that was measured, or a blank
        line where people must answer.
    output
        A file to write the release to, with its plan, dictionary and manifest beside it. By default the release stays in
        memory. Do not give the plan to recipients.
    memory
        How much memory the work may take, in bytes or as a text such as ``"8GB"``. A table that needs more is refused. By
        default three quarters of the memory of the machine.

    Returns
    -------
    Release
        The whole table, in a secret order: every row that was not suppressed, and every column that may be published.

    Raises
    ------
    InfeasibleError
        The table cannot reach the privacy that you asked for.
    UsageError
        An argument or the table is wrong. It is a `ValueError`.
    TypeError
        An argument has a wrong type, or there is none of that name.

    Examples
    --------
    >>> import amidst, pandas as pd
    >>> people = pd.DataFrame({
    ...     "age": [34, 36, 51, 58, 35, 55],
    ...     "sex": ["F", "F", "M", "M", "F", "M"],
    ...     "disease": ["flu", "cold", "flu", "gout", "gout", "cold"],
    ... })
    >>> release = amidst.anonymize(people, quasi=["age", "sex"], sensitive="disease", k=3, l=3, keep_order=True)
    >>> release.table
           age sex disease
    0  [34-36]   F     flu
    1  [34-36]   F    cold
    2  [51-58]   M     flu
    3  [51-58]   M    gout
    4  [34-36]   F    gout
    5  [51-58]   M    cold
    >>> release.report()["achieved"]["k"]
    3
    """
    about = about and {field: str(value) for field, value in about.items()}
    plan = asked(anonymize, table, options, options.get("plan"), quasi=quasi, keep_order=keep_order, about=about, profile=profile)
    with watched(options.get("progress")) as callback:
        made = _native.anonymize(
            _frames.arrow(table),
            _frames.name_of(table),
            plan,
            tables=_frames.named(tables),
            output=output,
            measures=listed(measures, "quick"),
            certify=proof_time(certify, "certify"),
            reports=files(report),
            public_reports=files(public_report),
            threads=options.get("threads"),
            memory=None if memory is None else str(memory),
            progress=callback,
        )
    return Release(made, table, None if output is None else Path(output), options.get("key"))


@takes(AnonymizeOptions)
def dry_run(
    table: Frame,
    quasi: Names = None,
    *,
    keep_order: bool = False,
    tables: Mapping[str, Frame] | None = None,
    output: str | os.PathLike[str] | None = None,
    memory: int | str | None = None,
    **options: Unpack[AnonymizeOptions],
) -> Report:
    """Says what `anonymize` would publish, and about how long it would take. Makes no release and writes nothing.

    It checks the plan, the hierarchies and whether the table can reach the required privacy, as `anonymize` does, and tries the algorithm on some
    of the rows.

    Parameters
    ----------
    table
        The table, as for `anonymize`.
    quasi
        The quasi-identifiers, if there is no plan.
    keep_order
        As for `anonymize`.
    tables
        Other tables of the same persons, as for `anonymize`.
    output
        The file that the release would go to. It is only checked.
    memory
        How much memory the work may take, as for `anonymize`.

    Returns
    -------
    Report
        The columns with what would happen to them, and the estimate.

    Examples
    --------
    >>> planned = amidst.dry_run(people, quasi=["age", "zip", "sex"], sensitive="disease", identifier="name", k=3)
    >>> [(column["name"], column["published"]) for column in planned["columns"]][:2]
    [('age', 'generalized: range'), ('zip', 'generalized: taxonomy')]
    """
    request = asked(dry_run, table, options, options.get("plan"), quasi=quasi, keep_order=keep_order)
    with watched(options.get("progress")) as callback:
        figures, text = _native.dry_run(
            _frames.arrow(table),
            _frames.name_of(table),
            request,
            tables=_frames.named(tables),
            output=output,
            threads=options.get("threads"),
            memory=None if memory is None else str(memory),
            progress=callback,
        )
    return Report(figures, text)


def make_key(file: str | os.PathLike[str]) -> None:
    """Makes a secret key for pseudonyms and moved dates, in a new file that only you can read.

    The same key gives the same pseudonyms in the next release. Whoever has it can compute the pseudonym of everybody whose number or
    name is known, so keep it apart from the releases.

    Parameters
    ----------
    file
        The new file. An existing one is never overwritten.

    Examples
    --------
    >>> import amidst, pandas as pd, pathlib, tempfile
    >>> visits = pd.DataFrame({"pid": ["a", "b", "a", "c"], "age": [30, 31, 30, 32], "day": [1, 2, 3, 4]})
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "person.key"
    >>> amidst.make_key(file)
    >>> release = amidst.anonymize(visits, quasi="age", pseudonym="pid", key=file, k=3, keep_order=True)
    >>> release.table["pid"].nunique(), release.table["pid"].iloc[0] == release.table["pid"].iloc[2]
    (3, True)
    """
    _native.make_key(os.fspath(file))

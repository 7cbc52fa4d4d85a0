"""The commands of the command line as functions. Arguments become a plan, and the plan does the rest."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from . import _frames, _native
from ._frames import Frame
from ._hierarchies import tree
from ._plan import Plan
from ._progress import Callback, watched
from ._report import Release, Report

Names = str | Sequence[str] | None
PlanLike = Mapping[str, Any] | str | os.PathLike[str] | None
Files = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


def _names(given: Names) -> list[str]:
    return [] if given is None else [given] if isinstance(given, str) else list(given)


def _files(given: Files) -> list[str | os.PathLike[str]]:
    return [given] if isinstance(given, (str, os.PathLike)) else list(given)


def _list(given: Names) -> str | None:
    return given if given is None or isinstance(given, str) else ",".join(given)


def _asked(
    table: Frame,
    plan: PlanLike,
    changes: dict[str, Any],
    *,
    quasi: Names = None,
    sensitive: Names = None,
    identifier: Names = None,
    personal_k: str | None = None,
    personal_l: str | None = None,
    kind: Mapping[str, str] | None = None,
    hierarchy: Mapping[str, Any] | None = None,
    order: Mapping[str, Sequence[str]] | None = None,
    groups: Mapping[str, Any] | None = None,
    show: Mapping[str, str] | None = None,
) -> str:
    """What is asked, in the words of the compiled part."""
    order = {column: [str(value) for value in values] for column, values in (order or {}).items()}
    for column, categories in _frames.ordered_categories(table).items() if plan is None else ():
        if column in _names(quasi) and column not in {*(kind or {}), *(hierarchy or {})}:
            order.setdefault(column, categories)
    flags = {
        "quasi": _names(quasi),
        "sensitive": _names(sensitive),
        "identifier": _names(identifier),
        "personal_k": personal_k,
        "personal_l": personal_l,
        "kind": dict(kind or {}),
        "hierarchy": {column: tree(given) for column, given in (hierarchy or {}).items()},
        "order": order,
        "groups": {column: tree(given) for column, given in (groups or {}).items()},
        "show": dict(show or {}),
    }
    asked: dict[str, Any] = {"flags": flags, "changes": {k: v for k, v in changes.items() if v is not None}}
    if isinstance(plan, Mapping):
        asked["plan"] = dict(plan)
    elif plan is not None:
        asked["plan_file"] = os.fspath(plan)
    return json.dumps(asked)


def _released(release: Frame | Release, plan: PlanLike) -> tuple[Any, list[tuple[str, Any]], PlanLike]:
    """The tables of a release, and its plan unless another is given."""
    if not isinstance(release, Release):
        return _frames.arrow(release), [], plan
    if isinstance(release.table, Path):
        return release.table, [], release.plan if plan is None else plan
    parts = [(name, part) for name, part in release.arrow.items() if name]
    return release.arrow[""], parts, release.plan if plan is None else plan


def init(
    table: Frame,
    *,
    k: int = 10,
    delimiter: str | None = None,
    missing: Names = None,
    progress: Callback | bool | None = None,
) -> Plan:
    """Looks at a table and gives a plan to start from.

    Which columns could single a person out is for you to say: read the plan and correct it.

    Parameters
    ----------
    table
        A data frame, or the path of a file.
    k
        The k to put into the plan.
    delimiter
        What separates the fields of a CSV file; by default what splits the header best.
    missing
        Texts that stand for a missing value, beside the usual ones.
    progress
        A function that is told the stage, how much is done and how much there is; True for a bar, False for silence.

    Returns
    -------
    Plan
        Rows of data frames keep their order by it, those of files are shuffled, as by the command line.

    Examples
    --------
    >>> plan = amidst.init(people, k=3)
    >>> plan.roles()
    {'name': 'identifier', 'age': 'quasi', 'zip': 'quasi', 'sex': 'quasi', 'disease': 'sensitive'}
    >>> plan.reasons["name"]
    'text, 12 values; its name and its many values point to persons'
    """
    with watched(progress) as callback:
        found, reasons = _native.init(
            _frames.arrow(table),
            _frames.name_of(table),
            k=k,
            delimiter=delimiter,
            missing=_names(missing),
            progress=callback,
        )
    plan = Plan(json.loads(found))
    plan.reasons = dict(zip(plan["columns"], reasons, strict=True))
    if not _frames.is_path(table):
        plan["method"]["order"] = "keep"
    return plan


guess_plan = init


def anonymize(
    table: Frame,
    quasi: Names = None,
    *,
    sensitive: Names = None,
    identifier: Names = None,
    k: int | None = None,
    l: float | None = None,  # noqa: E741
    require: Names = None,
    suppress: float | None = None,
    kind: Mapping[str, str] | None = None,
    hierarchy: Mapping[str, Any] | None = None,
    order: Mapping[str, Sequence[str]] | None = None,
    groups: Mapping[str, Any] | None = None,
    show: Mapping[str, str] | None = None,
    personal_k: str | None = None,
    personal_l: str | None = None,
    plan: PlanLike = None,
    partitioner: str | None = None,
    effort: str | None = None,
    time: float | None = None,
    refine: Names = None,
    measure: str | None = None,
    publish: str | None = None,
    seed: int | str | None = None,
    shuffle: bool | None = None,
    missing: Names = None,
    drop_missing: bool = False,
    delimiter: str | None = None,
    trim: bool = False,
    fold: bool = False,
    measures: Names = "quick",
    certify: bool = False,
    report: Files = (),
    public_report: Files = (),
    output: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
    progress: Callback | bool | None = None,
) -> Release:
    """Makes a release of a table in which every record hides amidst at least k - 1 others, and verifies it.

    Parameters
    ----------
    table
        A data frame of pandas, polars, pyarrow, duckdb, arro3 or anything else with the Arrow PyCapsule interface, or the
        path of a CSV or Parquet file. The index of a pandas frame is not part of it.
    quasi
        The columns that could single a person out together. Columns that nothing names are published as they are.
    sensitive
        The columns with what nobody may learn about a person.
    identifier
        The columns that are not published.
    k
        How many records at least share each combination of published quasi-identifiers.
    l
        No sensitive value makes up more than 1/l of a class.
    require
        What sensitive columns must satisfy, such as ``"t-closeness(t=0.2)"`` or ``"salary=entropy-l(l=3)"``.
    suppress
        The share of the records that may be left out where that loses less.
    kind
        How quasi-identifiers are generalized: range, ordered, taxonomy, set or suppress, by column. What is left out is
        taken from the values, see `Release.taken`; an ordered categorical of pandas is ordered.
    hierarchy
        The trees of columns: `widths`, `dates`, `mask`, `flat`, `levels`, nested dicts and lists, a data frame with a
        column for each level, or the path of a file.
    order
        The order of the categories of columns, from low to high.
    groups
        Trees that say which values of sensitive columns count as one.
    show
        How the classes of quasi-identifiers are shown: cell, bounds, middle, mean, median or mode, by column.
    personal_k, personal_l
        The columns with what each person wants; not published.
    plan
        A `Plan`, a dict like one, or the path of a plan file, in place of the arguments about columns. The others
        change it.
    partitioner, effort, time, refine, measure, publish
        How the release is made; see `list_partitioners` and the other lists. `time` is in seconds.
    seed
        The seed of all random choices, a number or a text such as ``"0x9e3779b97f4a7c15"``. By default it is drawn at random
        and kept in `Release.plan`: somebody who has it and knows nearly all records can find out the rest.
    shuffle
        True publishes the rows in a secret order, since their order can identify people; do that before you give a
        release away. By default the rows keep their order, unless a plan says otherwise.
    missing
        Texts that stand for a missing value. None, NaN and NaT always do.
    drop_missing
        Leave out rows that miss a quasi-identifier or a sensitive value.
    delimiter, trim
        How CSV files are read.
    fold
        Make one of the spellings of each sensitive value that differ only in case, blanks at the ends, the form of
        characters or the way a number is written: the most frequent.
    measures
        What to measure: quick, all, or names.
    certify
        Prove how far from the best possible the release is at most.
    report
        Files for the internal report: a page (.html), or the same facts as .json or .txt. It has the seed and figures of the
        original, so it is not for recipients.
    public_report
        Files for the report that recipients may have, in the same forms.
    output
        A file to write the release to, with its plan, dictionary and manifest beside it; by default it stays in memory. The plan
        is not for recipients.
    threads
        How many threads to use; the result does not depend on it.
    memory
        How much memory the work may take, in bytes or as a text such as ``"8GB"``; a table that needs more is refused. By
        default three quarters of what the machine has.
    progress
        A function that is told the stage, how much is done and how much there is; True for a bar, False for silence.

    Returns
    -------
    Release
        The whole table, every row that was not suppressed and every column that may be published.

    Raises
    ------
    InfeasibleError
        If the table cannot give the privacy that is asked for.
    UsageError
        If an argument or the table is not as it should be.

    Examples
    --------
    >>> import amidst, pandas as pd
    >>> people = pd.DataFrame({
    ...     "age": [34, 36, 51, 58, 35, 55],
    ...     "sex": ["F", "F", "M", "M", "F", "M"],
    ...     "disease": ["flu", "cold", "flu", "gout", "gout", "cold"],
    ... })
    >>> release = amidst.anonymize(people, quasi=["age", "sex"], sensitive="disease", k=3, l=3)
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
    kept = None if shuffle is None and plan is not None else ("shuffle" if shuffle else "keep")
    changes = {
        "k": k,
        "l": l,
        "require": _names(require),
        "suppress": suppress,
        "delimiter": delimiter,
        "trim": trim,
        "fold": fold,
        "missing": _names(missing),
        "drop_missing": drop_missing,
        "partitioner": partitioner,
        "effort": effort,
        "time": time,
        "refine": _names(refine),
        "measure": measure,
        "publish": publish,
        "seed": seed,
        "order": kept,
    }
    asked = _asked(
        table,
        plan,
        changes,
        quasi=quasi,
        sensitive=sensitive,
        identifier=identifier,
        personal_k=personal_k,
        personal_l=personal_l,
        kind=kind,
        hierarchy=hierarchy,
        order=order,
        groups=groups,
        show=show,
    )
    with watched(progress) as callback:
        made = _native.anonymize(
            _frames.arrow(table),
            _frames.name_of(table),
            asked,
            output=output,
            measures=_list(measures) or "quick",
            certify=certify,
            reports=_files(report),
            public_reports=_files(public_report),
            threads=threads,
            memory=None if memory is None else str(memory),
            progress=callback,
        )
    return Release(made, table, None if output is None else Path(output))


def audit(
    release: Frame | Release,
    quasi: Names = None,
    *,
    original: Frame | None = None,
    sensitive: Names = None,
    identifier: Names = None,
    k: int | None = None,
    l: float | None = None,  # noqa: E741
    require: Names = None,
    kind: Mapping[str, str] | None = None,
    hierarchy: Mapping[str, Any] | None = None,
    order: Mapping[str, Sequence[str]] | None = None,
    groups: Mapping[str, Any] | None = None,
    show: Mapping[str, str] | None = None,
    plan: PlanLike = None,
    publish: str | None = None,
    missing: Names = None,
    delimiter: str | None = None,
    trim: bool = False,
    fold: bool = False,
    threads: int | None = None,
    progress: Callback | bool | None = None,
) -> Report:
    """Finds out what a published table reaches, ours or another tool's.

    Parameters
    ----------
    release
        A `Release`, which brings its plan; or a data frame or the path of a file, with a plan or the columns.
    original
        The table it was made from: checks that every cell covers its value, and measures the loss.
    quasi, sensitive, identifier, k, l, require, kind, hierarchy, order, groups, show, plan, publish, missing, delimiter, trim
    fold
        As for `anonymize`; what k, l, require or the plan ask for must be reached to pass.
    threads, progress
        As for `anonymize`.

    Returns
    -------
    Report
        Its `passed` says whether all that was asked for is reached.

    Examples
    --------
    >>> release = amidst.anonymize(people, quasi=["age", "zip", "sex"], sensitive="disease", identifier="name", k=3)
    >>> amidst.audit(release, original=people).passed
    True
    >>> amidst.audit(release.table, quasi=["age", "zip", "sex"], k=100).passed
    False
    """
    table, parts, plan = _released(release, plan)
    changes = {
        "k": k,
        "l": l,
        "require": _names(require),
        "publish": publish,
        "missing": _names(missing),
        "delimiter": delimiter,
        "trim": trim,
        "fold": fold,
    }
    asked = _asked(
        None,
        plan,
        changes,
        quasi=quasi,
        sensitive=sensitive,
        identifier=identifier,
        kind=kind,
        hierarchy=hierarchy,
        order=order,
        groups=groups,
        show=show,
    )
    with watched(progress) as callback:
        figures, text = _native.audit(
            table,
            parts,
            _frames.name_of(original),
            asked,
            original=None if original is None else _frames.arrow(original),
            threads=threads,
            progress=callback,
        )
    report = Report(figures, text)
    report.passed = not report["failures"]
    return report


def measure(
    original: Frame,
    release: Frame | Release,
    quasi: Names = None,
    *,
    sensitive: Names = None,
    identifier: Names = None,
    kind: Mapping[str, str] | None = None,
    hierarchy: Mapping[str, Any] | None = None,
    order: Mapping[str, Sequence[str]] | None = None,
    groups: Mapping[str, Any] | None = None,
    show: Mapping[str, str] | None = None,
    plan: PlanLike = None,
    publish: str | None = None,
    missing: Names = None,
    delimiter: str | None = None,
    trim: bool = False,
    fold: bool = False,
    measures: Names = "all",
    threads: int | None = None,
    progress: Callback | bool | None = None,
) -> Report:
    """Measures how useful a published table still is, against its original.

    Parameters
    ----------
    original
        The table the release was made from.
    release
        A `Release`, which brings its plan; or a data frame or the path of a file, with a plan or the columns.
    measures
        What to measure: quick, all, or names of `list_measures`.
    quasi, sensitive, identifier, kind, hierarchy, order, groups, show, plan, publish, missing, delimiter, trim
    fold, threads, progress
        As for `anonymize`.

    Examples
    --------
    Six ages are ranges of two years and six of three, out of 26; sexes are not touched: 6 (2 + 3) / 26 / 12 / 2 is lost.

    >>> release = amidst.anonymize(people, quasi=["age", "sex"], identifier="name", k=3)
    >>> round(amidst.measure(people, release, measures=["lm", "dm"])["loss"]["lm"], 3)
    0.048
    """
    table, parts, plan = _released(release, plan)
    changes = {"publish": publish, "missing": _names(missing), "delimiter": delimiter, "trim": trim, "fold": fold}
    asked = _asked(
        original,
        plan,
        changes,
        quasi=quasi,
        sensitive=sensitive,
        identifier=identifier,
        kind=kind,
        hierarchy=hierarchy,
        order=order,
        groups=groups,
        show=show,
    )
    with watched(progress) as callback:
        figures, text = _native.measure(
            _frames.arrow(original),
            _frames.name_of(original),
            table,
            parts,
            asked,
            measures=_list(measures) or "all",
            threads=threads,
            progress=callback,
        )
    return Report(figures, text)


def attack(
    original: Frame,
    release: Frame | Release,
    quasi: Names = None,
    *,
    sensitive: Names = None,
    identifier: Names = None,
    k: int | None = None,
    l: float | None = None,  # noqa: E741
    require: Names = None,
    kind: Mapping[str, str] | None = None,
    hierarchy: Mapping[str, Any] | None = None,
    order: Mapping[str, Sequence[str]] | None = None,
    groups: Mapping[str, Any] | None = None,
    show: Mapping[str, str] | None = None,
    plan: PlanLike = None,
    publish: str | None = None,
    missing: Names = None,
    delimiter: str | None = None,
    trim: bool = False,
    fold: bool = False,
    attacks: Names = "all",
    threads: int | None = None,
    progress: Callback | bool | None = None,
) -> Report:
    """Plays the adversaries of the papers against a published table, and sees what they learn.

    Parameters
    ----------
    original
        The table the release was made from, which the adversaries know parts of.
    release
        A `Release`, which brings its plan; or a data frame or the path of a file, with a plan or the columns.
    attacks
        The adversaries: all, or names of `list_attacks`.
    quasi, sensitive, identifier, k, l, require, kind, hierarchy, order, groups, show, plan, publish, missing, delimiter, trim
    fold
        As for `anonymize`; what k, l, require or the plan ask for is what was promised.
    threads, progress
        As for `anonymize`.

    Returns
    -------
    Report
        Its `passed` says whether no promise was broken.

    Examples
    --------
    >>> release = amidst.anonymize(people, quasi=["age", "zip", "sex"], sensitive="disease", identifier="name", k=3)
    >>> found = amidst.attack(people, release, attacks=["linking"])
    >>> found.passed, found["findings"]["linking"]["verdict"]
    (True, 'withstood')
    """
    table, parts, plan = _released(release, plan)
    changes = {
        "k": k,
        "l": l,
        "require": _names(require),
        "publish": publish,
        "missing": _names(missing),
        "delimiter": delimiter,
        "trim": trim,
        "fold": fold,
    }
    asked = _asked(
        original,
        plan,
        changes,
        quasi=quasi,
        sensitive=sensitive,
        identifier=identifier,
        kind=kind,
        hierarchy=hierarchy,
        order=order,
        groups=groups,
        show=show,
    )
    with watched(progress) as callback:
        figures, text, broken = _native.attack(
            _frames.arrow(original),
            _frames.name_of(original),
            table,
            parts,
            asked,
            attacks=_list(attacks) or "all",
            threads=threads,
            progress=callback,
        )
    return Report(figures, text, not broken)


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
    sensitive: Names = None,
    identifier: Names = None,
    require: Names = None,
    suppress: float | None = None,
    kind: Mapping[str, str] | None = None,
    hierarchy: Mapping[str, Any] | None = None,
    order: Mapping[str, Sequence[str]] | None = None,
    groups: Mapping[str, Any] | None = None,
    plan: PlanLike = None,
    measure: str | None = None,
    seed: int | str | None = None,
    missing: Names = None,
    drop_missing: bool = False,
    delimiter: str | None = None,
    trim: bool = False,
    fold: bool = False,
    threads: int | None = None,
    progress: Callback | bool | None = None,
) -> Report:
    """Tries many algorithms and values of k on a table, side by side; publishes nothing.

    Parameters
    ----------
    k, l
        The values of k and of l.
    rows
        How many records to take, drawn at random; by default all.
    algorithms
        The algorithms: all, or names of `list_partitioners`.
    measures
        What to measure: quick, all, or names of `list_measures`.
    limit
        How many seconds a run may take; it is stopped then, and its row says so.
    report
        A file for a page with pictures (.html): loss against k and l, time against the number of rows, loss against risk.
    seed
        The seed of all random choices. Nothing is published, so it is that of the plan, or 0, unless you name another.
    table, quasi, sensitive, identifier, require, suppress, kind, hierarchy, order, groups, plan, measure
        As for `anonymize`.
    missing, drop_missing, delimiter, trim, fold, threads, progress
        As for `anonymize`.

    Returns
    -------
    Report
        ``report["runs"]`` is a list of dicts, one a run.

    Examples
    --------
    >>> found = amidst.compare(people, quasi=["age", "sex"], k=[2, 3], algorithms=["engine", "mondrian"])
    >>> [(run["k"], run["partitioner"], run["classes"]) for run in found["runs"]]
    [(2, 'engine', 6), (2, 'mondrian', 4), (3, 'engine', 4), (3, 'mondrian', 4)]
    """
    ks = [k] if isinstance(k, int) else list(k)
    ls = [l] if isinstance(l, (int, float)) else list(l)
    changes = {
        "k": ks[0] if ks else None,
        "l": ls[0] if ls else None,
        "require": _names(require),
        "suppress": suppress,
        "measure": measure,
        "seed": seed,
        "missing": _names(missing),
        "drop_missing": drop_missing,
        "delimiter": delimiter,
        "trim": trim,
        "fold": fold,
    }
    asked = _asked(
        table,
        plan,
        changes,
        quasi=quasi,
        sensitive=sensitive,
        identifier=identifier,
        kind=kind,
        hierarchy=hierarchy,
        order=order,
        groups=groups,
    )
    with watched(progress) as callback:
        figures, text = _native.compare(
            _frames.arrow(table),
            _frames.name_of(table),
            asked,
            ks=ks,
            ls=ls,
            rows=[rows] if isinstance(rows, int) else list(rows),
            algorithms=_list(algorithms) or "all",
            measures=_list(measures) or "quick",
            limit=limit,
            page=report,
            threads=threads,
            progress=callback,
        )
    return Report(figures, text)


def bound(
    table: Frame,
    quasi: Names = None,
    *,
    k: int | None = None,
    l: float | None = None,  # noqa: E741
    require: Names = None,
    sensitive: Names = None,
    identifier: Names = None,
    kind: Mapping[str, str] | None = None,
    hierarchy: Mapping[str, Any] | None = None,
    order: Mapping[str, Sequence[str]] | None = None,
    groups: Mapping[str, Any] | None = None,
    plan: PlanLike = None,
    measure: str | None = None,
    missing: Names = None,
    drop_missing: bool = False,
    delimiter: str | None = None,
    trim: bool = False,
    fold: bool = False,
    threads: int | None = None,
    progress: Callback | bool | None = None,
) -> Report:
    """Proves how little any release of a table can lose; publishes nothing.

    Parameters
    ----------
    table, quasi, k, l, require, sensitive, identifier, kind, hierarchy, order, groups, plan, measure
        As for `anonymize`; `measure` is the loss that is bounded.
    missing, drop_missing, delimiter, trim, fold, threads, progress
        As for `anonymize`.

    Examples
    --------
    >>> found = amidst.bound(people, quasi=["age", "sex"], k=3)
    >>> found["rows"], found["k"]
    (12, 3)
    >>> release = amidst.anonymize(people, quasi=["age", "sex"], k=3)
    >>> found["bound"]["loss"] <= release.report()["loss"]["lm"]
    True
    """
    changes = {
        "k": k,
        "l": l,
        "require": _names(require),
        "measure": measure,
        "missing": _names(missing),
        "drop_missing": drop_missing,
        "delimiter": delimiter,
        "trim": trim,
        "fold": fold,
    }
    asked = _asked(
        table,
        plan,
        changes,
        quasi=quasi,
        sensitive=sensitive,
        identifier=identifier,
        kind=kind,
        hierarchy=hierarchy,
        order=order,
        groups=groups,
    )
    with watched(progress) as callback:
        figures, text = _native.bound(
            _frames.arrow(table), _frames.name_of(table), asked, threads=threads, progress=callback
        )
    return Report(figures, text)


def risk(
    table: Frame | Release,
    quasi: Names = None,
    *,
    plan: PlanLike = None,
    publish: str | None = None,
    sample: float | None = None,
    population: Frame | None = None,
    threshold: float | None = None,
    missing: Names = None,
    drop_missing: bool = False,
    delimiter: str | None = None,
    trim: bool = False,
    threads: int | None = None,
    progress: Callback | bool | None = None,
) -> Report:
    """Finds out how likely the people of a table are found, by which columns, and what a well-known rule wants removed.

    Parameters
    ----------
    table
        An original or a release: a data frame, the path of a file, or a `Release`, which brings its plan.
    quasi
        The quasi-identifiers; by default all columns but those that look like identifiers.
    plan, publish
        The plan that a release was made by, or its form.
    sample
        The share of the population that the table holds.
    population
        A table of the population with the quasi-identifiers as they are, in place of `sample`.
    threshold
        The risk of a single record that is still acceptable, by default 0.2.
    missing, drop_missing, delimiter, trim, threads, progress
        As for `anonymize`.

    Examples
    --------
    >>> release = amidst.anonymize(people, quasi=["age", "zip", "sex"], identifier="name", k=3)
    >>> amidst.risk(release)["prosecutor"]["highest"] <= 1 / 3
    True
    """
    given, parts, plan = _released(table, plan)
    changes = {
        "publish": publish,
        "missing": _names(missing),
        "drop_missing": drop_missing,
        "delimiter": delimiter,
        "trim": trim,
    }
    asked = _asked(None, plan, changes, quasi=quasi)
    with watched(progress) as callback:
        figures, text = _native.risk(
            given,
            parts,
            _frames.name_of(table),
            asked,
            population=None if population is None else _frames.arrow(population),
            sample=sample,
            threshold=threshold,
            threads=threads,
            progress=callback,
        )
    return Report(figures, text)

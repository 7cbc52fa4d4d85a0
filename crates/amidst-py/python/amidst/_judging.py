"""What is known of a table or of a release: `audit`, `measure`, `attack` and `risk`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from . import _frames, _native
from ._asked import asked, listed, released
from ._frames import Frame
from ._options import MeasureOptions, Names, ReleaseOptions, RiskOptions, takes
from ._progress import watched
from ._report import Release, Report

if TYPE_CHECKING:
    from typing_extensions import Unpack


@takes(ReleaseOptions)
def audit(
    release: Frame | Release,
    quasi: Names = None,
    *,
    original: Frame | None = None,
    tables: Mapping[str, Frame] | None = None,
    **options: Unpack[ReleaseOptions],
) -> Report:
    """Finds out which privacy a published table reaches. It may be another tool's.

    The table passes if it reaches what k, l, require and the plan ask for.

    Parameters
    ----------
    release
        A `Release`, which has its plan; or a data frame or the path of a file, with a plan or the columns.
    quasi
        The quasi-identifiers, if there is no plan.
    original
        The table that the release was made from. Then `audit` also checks that every cell covers its value, and measures
        the loss.
    tables
        The originals of other tables of the same persons, as for `anonymize`. Without them the plan's files are read, if there is an
        original.

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
    table, parts, plan = released(release, options)
    request = asked(audit, None, options, plan, quasi=quasi)
    with watched(options.get("progress")) as callback:
        figures, text = _native.audit(
            table,
            parts,
            _frames.name_of(original),
            request,
            original=None if original is None else _frames.arrow(original),
            tables=_frames.named(tables),
            threads=options.get("threads"),
            progress=callback,
        )
    report = Report(figures, text)
    report.passed = not report["failures"]
    return report


@takes(MeasureOptions)
def measure(
    original: Frame,
    release: Frame | Release,
    quasi: Names = None,
    *,
    measures: Names = "all",
    **options: Unpack[MeasureOptions],
) -> Report:
    """Measures how useful a published table still is, compared with its original.

    Parameters
    ----------
    original
        The table that the release was made from.
    release
        A `Release`, which has its plan; or a data frame or the path of a file, with a plan or the columns.
    quasi
        The quasi-identifiers, if there is no plan.
    measures
        What to measure: quick, all, or names of `list_measures`.

    Examples
    --------
    Six ages become ranges of two years and six become ranges of three, out of 26. Sexes are unchanged. So the loss is
    6 (2 + 3) / 26 / 12 / 2.

    >>> release = amidst.anonymize(people, quasi=["age", "sex"], others="drop", k=3)
    >>> round(amidst.measure(people, release, measures=["lm", "dm"])["loss"]["lm"], 3)
    0.048
    """
    table, parts, plan = released(release, options)
    request = asked(measure, original, options, plan, quasi=quasi)
    with watched(options.get("progress")) as callback:
        figures, text = _native.measure(
            _frames.arrow(original),
            _frames.name_of(original),
            table,
            parts,
            request,
            measures=listed(measures, "all"),
            threads=options.get("threads"),
            progress=callback,
        )
    return Report(figures, text)


@takes(ReleaseOptions)
def attack(
    original: Frame,
    release: Frame | Release,
    quasi: Names = None,
    *,
    attacks: Names = "all",
    **options: Unpack[ReleaseOptions],
) -> Report:
    """Attacks a published table as the adversaries of the literature do, and reports what they learn.

    A promise is what k, l, require and the plan ask for.

    Parameters
    ----------
    original
        The table that the release was made from. The adversaries know parts of it.
    release
        A `Release`, which has its plan; or a data frame or the path of a file, with a plan or the columns.
    quasi
        The quasi-identifiers, if there is no plan.
    attacks
        The adversaries: all, or names of `list_attacks`.

    Returns
    -------
    Report
        Its `passed` says whether every promise was kept.

    Examples
    --------
    >>> release = amidst.anonymize(people, quasi=["age", "zip", "sex"], sensitive="disease", identifier="name", k=3)
    >>> found = amidst.attack(people, release, attacks=["linking"])
    >>> found.passed, found["findings"]["linking"]["verdict"]
    (True, 'withstood')
    """
    table, parts, plan = released(release, options)
    request = asked(attack, original, options, plan, quasi=quasi)
    with watched(options.get("progress")) as callback:
        figures, text, broken = _native.attack(
            _frames.arrow(original),
            _frames.name_of(original),
            table,
            parts,
            request,
            attacks=listed(attacks, "all", "attacks"),
            threads=options.get("threads"),
            progress=callback,
        )
    return Report(figures, text, not broken)


@takes(RiskOptions)
def risk(
    table: Frame | Release,
    quasi: Names = None,
    *,
    person: Names = None,
    sample: float | None = None,
    population: Frame | None = None,
    threshold: float | None = None,
    **options: Unpack[RiskOptions],
) -> Report:
    """Finds out how likely it is that people are found in a table, by which columns, and what HIPAA's Safe Harbor rule would remove.

    Parameters
    ----------
    table
        An original or a release: a data frame, the path of a file, or a `Release`, which has its plan.
    quasi
        The quasi-identifiers. By default all columns but those that look like identifiers.
    person
        The columns that together say whose row it is. Name them if a person can have several rows: then risks and shares are those of persons.
    sample
        The share of the population that the table holds.
    population
        A table of the population with the quasi-identifiers as they are, instead of `sample`.
    threshold
        The highest risk of a single record that is acceptable, by default 0.2.

    Examples
    --------
    >>> release = amidst.anonymize(people, quasi=["age", "zip", "sex"], identifier="name", k=3)
    >>> amidst.risk(release)["prosecutor"]["highest"] <= 1 / 3
    True
    """
    given, parts, plan = released(table, options)
    request = asked(risk, None, options, plan, quasi=quasi, person=person)
    with watched(options.get("progress")) as callback:
        figures, text = _native.risk(
            given,
            parts,
            _frames.name_of(table),
            request,
            population=None if population is None else _frames.arrow(population),
            sample=sample,
            threshold=threshold,
            threads=options.get("threads"),
            progress=callback,
        )
    return Report(figures, text)

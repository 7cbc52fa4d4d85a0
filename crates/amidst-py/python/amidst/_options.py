"""The options that several functions take: each stands here once, with its type and what it does.

A group is a `TypedDict`, so type checkers and editors know what may be given. `takes` puts the same options into the signature and the
docstring of a function, where `help` finds them.
"""

from __future__ import annotations

import difflib
import inspect
import os
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Annotated, Any, TypedDict, TypeVar, get_args, get_type_hints

from ._progress import Callback

Names = str | Sequence[str] | None
"""A name, or several."""

PlanLike = Mapping[str, Any] | str | os.PathLike[str] | None
"""A plan, or the path of one."""

Files = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
"""The path of a file, or several."""


class Common(TypedDict, total=False):
    """What everything takes."""

    plan: Annotated[
        PlanLike,
        "A `Plan`, a dict like one, or the path of a plan file. It replaces the arguments about columns; all other arguments change it.",
    ]
    missing: Annotated[
        Names,
        "Texts that stand for a missing value, in addition to the usual ones (an empty text, ``?``, ``NA``, ``N/A``, ``NaN``, ``NULL``, "
        "``None`` and a single dot). None, NaN and NaT always do.",
    ]
    missing_only: Annotated[bool, "Let only the texts of `missing` stand for a missing value. Without one, none does."]
    decimal: Annotated[
        str | None,
        "What separates numbers from their fractions in columns of text: ``\".\"`` or ``\",\"``. By default the values of each column show it.",
    ]


class Columns(TypedDict, total=False):
    """What the columns are."""

    sensitive: Annotated[Names, "The sensitive columns: what nobody may learn about a person."]
    identifier: Annotated[Names, "The columns that are not published."]
    publish_as_is: Annotated[
        Names, "The columns to publish as they are, although they look like identifiers, or because they are harmless."
    ]
    others: Annotated[
        str | None,
        "What happens to the columns that nothing names: ``\"publish\"`` publishes them as they are, ``\"drop\"`` leaves them out. By default "
        "they are published. Those that look like identifiers are refused, also by ``\"publish\"``.",
    ]
    person: Annotated[
        Names,
        "The columns that together say whose row it is. Name them if a person can have several rows: then k and the privacy models count "
        "persons and not rows. They are not published.",
    ]
    missing_person: Annotated[
        str | None,
        "What happens to rows that do not say whose they are: ``\"own\"`` counts each of them as a person of its own, ``\"drop\"`` leaves "
        "them out. By default the table is refused.",
    ]
    pseudonym: Annotated[
        Names,
        "The person column, or identifiers, to replace by keyed pseudonyms. A pseudonym links the rows of a person: then all of them get "
        "the same cells, and at least k persons share them. This needs `key`.",
    ]
    shift: Annotated[
        Mapping[str, int] | None,
        "Columns of dates to move by a secret number of days, which is the same for all dates of a person and at most the number given "
        "here. This needs `key`.",
    ]
    keep_weekday: Annotated[bool, "Let the dates of `shift` keep their day of the week."]
    study_day: Annotated[Names, "Columns of dates to replace by the number of days since the first date of the person."]
    format: Annotated[
        Mapping[str, str] | None,
        "How the dates or times of columns are written, such as ``%d.%m.%Y`` or ``%Y-%m-%d %H:%M``. By default the values show it. Name it "
        "where they do not: 9/10/2001 is in September (``%m/%d/%Y``) or in October (``%d/%m/%Y``).",
    ]
    rows_per_person: Annotated[int | None, "Keep at most this many rows of each person. The key decides which. This needs `key`."]
    key: Annotated[
        str | os.PathLike[str] | None,
        "The file with the secret key, which `make_key` makes. By default the environment variable ``AMIDST_KEY`` may hold the key.",
    ]
    kind: Annotated[
        Mapping[str, str] | None,
        "How each quasi-identifier is generalized, by column: range, ordered, taxonomy, set or suppress. Kinds that you leave out are "
        "chosen by the values, see `Release.taken`. An ordered categorical of pandas is ordered.",
    ]
    hierarchy: Annotated[
        Mapping[str, Any] | None,
        "The trees of columns. A tree is made by `widths`, `dates`, `mask`, `flat` or `levels`, or it is nested dicts and lists, a data "
        "frame with a column for each level, the name of a built-in tree such as ``icd10`` (see `list_hierarchies`), or the path of a file.",
    ]
    top: Annotated[
        Mapping[str, float | str | date] | None,
        "From which number or date on all values of a column are published as one: ``{\"age\": 90}`` makes cells such as ``>=90``. "
        "This and the next three are also for numbers of sensitive columns and of columns that are published as they are.",
    ]
    bottom: Annotated[
        Mapping[str, float | str | date] | None,
        "Up to which number or date all values of a column are published as one: ``{\"age\": 18}`` makes cells such as ``<=18``.",
    ]
    bins: Annotated[
        Mapping[str, Sequence[float | str | date]] | None,
        "Where the bins of a column begin: ``{\"income\": [0, 10000, 20000]}``. A bin ends before the next one begins. Values below the "
        "first and from the last on are two more bins.",
    ]
    round: Annotated[
        Mapping[str, float] | None,
        "The number to whose multiples the numbers of a column are rounded, before they are generalized: ``{\"income\": 1000}``.",
    ]
    order: Annotated[
        Mapping[str, Sequence[object]] | None,
        "The categories of columns, from low to high. The order of the rows is another matter: see ``keep_order`` of `anonymize`.",
    ]
    groups: Annotated[
        Mapping[str, Any] | None, "Trees of sensitive columns. Values right below the same node of the tree count as one value."
    ]


class Households(TypedDict, total=False):
    """Whose household a row belongs to."""

    household: Annotated[
        Names,
        "The columns that together say whose household a row belongs to. With them, ``require=\"household-k(k=3)\"`` asks that every "
        "class has rows of at least three households. They are not published.",
    ]


class Shown(TypedDict, total=False):
    """How classes look."""

    show: Annotated[
        Mapping[str, str] | None,
        "What is published of each class of a quasi-identifier, by column: cell, bounds, middle, mean, median or mode.",
    ]


class Size(TypedDict, total=False):
    """How large classes are."""

    k: Annotated[int | None, "At least k records share each combination of published quasi-identifiers."]


class Diversity(TypedDict, total=False):
    """What is asked of sensitive values."""

    l: Annotated[float | None, "No sensitive value makes up more than 1/l of a class."]


class Models(TypedDict, total=False):
    """What else is asked of sensitive values."""

    require: Annotated[
        Names,
        'Privacy models for the sensitive columns, such as ``"t-closeness(t=0.2)"``, or for one of them, such as '
        '``"salary=entropy-l(l=3)"``. See `list_constraints`.',
    ]


class Suppression(TypedDict, total=False):
    """Which records may be left out."""

    suppress: Annotated[float | None, "The share of the records that may be left out where that loses less."]


class Algorithm(TypedDict, total=False):
    """What forms the classes."""

    partitioner: Annotated[str | None, "The algorithm that forms the classes. See `list_partitioners`."]
    effort: Annotated[str | None, "How hard the engine, the default algorithm, tries: fast, balanced or best."]


class Objective(TypedDict, total=False):
    """What is kept low."""

    measure: Annotated[str | None, "The loss that is kept low. See `list_measures`."]


class Randomness(TypedDict, total=False):
    """What random choices depend on."""

    seed: Annotated[
        int | str | None,
        'The seed of all random choices, a number or a text such as ``"0x9e3779b97f4a7c15"``. By default `anonymize` draws a secret seed '
        "and keeps it in `Release.plan`: somebody who knows the seed and nearly all records can find out the rest. `compare` "
        "publishes nothing, so by default it uses the seed of the plan, or 0.",
    ]


class Form(TypedDict, total=False):
    """What is published."""

    publish: Annotated[str | None, "The form of the release. See `list_publishers`."]


class Dropping(TypedDict, total=False):
    """Which rows are read."""

    drop_missing: Annotated[bool, "Leave out rows that miss a quasi-identifier or a sensitive value."]


class Folding(TypedDict, total=False):
    """How values are read."""

    fold: Annotated[
        bool,
        "Replace all spellings of a sensitive value by the most frequent one. Spellings differ in case, in blanks at the ends, in the "
        "form of characters, or in the way a number is written.",
    ]


class Reading(TypedDict, total=False):
    """How files are read."""

    delimiter: Annotated[str | None, "The character between the fields of a CSV file. By default the one that its first rows show."]
    encoding: Annotated[
        str | None,
        "The encoding of a CSV file, such as ``\"windows-1252\"``, ``\"utf-16le\"`` or ``\"iso-8859-15\"``. UTF-8 and UTF-16 are recognized. Other "
        "bytes are taken for windows-1252, with a warning. Releases are written in UTF-8.",
    ]
    header: Annotated[
        bool | None,
        "Whether the first row of a CSV file has the names of the columns. Without one they become ``column_1``, ``column_2`` and so on. By "
        "default it has, and a first row that looks like data is refused.",
    ]
    trim: Annotated[bool, "Drop blanks around the fields of a CSV file."]


class Work(TypedDict, total=False):
    """How the work is done."""

    threads: Annotated[int | None, "How many threads to use. The result does not depend on it."]
    progress: Annotated[
        Callback | bool | None,
        "A function that is called with the stage, how much of it is done, and how much there is; and with a sentence that begins with "
        "``note:`` and zeros, such as how long a proof will take. True shows a bar, False nothing. "
        "By default terminals and notebooks show a bar.",
    ]


class Wishes(TypedDict, total=False):
    """What each person wants."""

    personal_k: Annotated[str | None, "The column that holds the k that each person wants. It is not published."]
    personal_l: Annotated[str | None, "The column that holds the l that each person wants. It is not published."]


class Search(TypedDict, total=False):
    """How long and in which ways the classes are improved."""

    time: Annotated[float | None, "How many seconds the engine may improve the release."]
    refine: Annotated[Names, "What improves the classes afterwards. See `list_refiners`."]


class AnonymizeOptions(
    Columns,
    Households,
    Shown,
    Size,
    Diversity,
    Models,
    Wishes,
    Suppression,
    Form,
    Algorithm,
    Search,
    Objective,
    Randomness,
    Dropping,
    Folding,
    Reading,
    Common,
    Work,
):
    """What `anonymize` takes."""


class AnonymizerOptions(
    Columns,
    Households,
    Shown,
    Diversity,
    Models,
    Wishes,
    Suppression,
    Algorithm,
    Search,
    Objective,
    Randomness,
    Dropping,
    Folding,
    Common,
):
    """What an `Anonymizer` takes."""


class ReleaseOptions(Columns, Households, Shown, Size, Diversity, Models, Form, Folding, Reading, Common, Work):
    """What `audit` and `attack` take."""


class MeasureOptions(Columns, Households, Shown, Form, Folding, Reading, Common, Work):
    """What `measure` takes."""


class PlanOnly(TypedDict, total=False):
    """What a release was made by."""

    plan: Annotated[PlanLike, "The plan of the release, if it is no `Release` and no file with its plan beside it."]


class ExplainOptions(PlanOnly, Work):
    """What `explain` takes."""


class RiskOptions(Households, Form, Dropping, Reading, Common, Work):
    """What `risk` takes."""


class BoundOptions(Columns, Households, Size, Diversity, Models, Objective, Dropping, Folding, Reading, Common, Work):
    """What `bound` takes."""


class CompareOptions(
    Columns, Households, Models, Suppression, Objective, Randomness, Dropping, Folding, Reading, Common, Work
):
    """What `compare` takes."""


_T = TypeVar("_T", bound=Callable[..., Any])
_NEXT_SECTION = re.compile(r"\n\n[A-Z]\w+\n-+\n|\Z")


def takes(options: type) -> Callable[[_T], _T]:
    """Puts these options into the signature and the docstring of a function or a class that takes them as ``**options``."""

    def with_options(target: _T) -> _T:
        function: Any = vars(target)["__init__"] if isinstance(target, type) else target
        own = [p for p in inspect.signature(function).parameters.values() if p.kind is not p.VAR_KEYWORD]
        hints = hints_of(options)
        function.__signature__ = inspect.Signature([*own, *(_parameter(*hint) for hint in hints.items())])
        target.__doc__ = explained(target.__doc__, hints)
        return target

    return with_options


def explained(doc: str | None, hints: Mapping[str, Any]) -> str | None:
    """A docstring that explains these options behind its own parameters."""
    if doc is None:  # python -OO
        return None
    doc = inspect.cleandoc(doc)
    own = doc.index("\nParameters\n")
    end = _NEXT_SECTION.search(doc, own + 2)
    place = end.start() if end else len(doc)
    lines = [f"{name}\n{_wrapped(get_args(hint)[1])}" for name, hint in hints.items()]
    return "\n".join([doc[:place].rstrip(), *lines]) + doc[place:]


def hints_of(options: type) -> dict[str, Any]:
    """The options of a group, with their types and what they do."""
    return get_type_hints(options, include_extras=True)


def check(function: Callable[..., Any], options: Mapping[str, Any]) -> None:
    """Refuses options that a function does not take, in Python's own words."""
    known = inspect.signature(function).parameters
    for name in options:
        if name not in known:
            meant = difflib.get_close_matches(name, known, n=1)
            hint = f"; did you mean {meant[0]!r}?" if meant else ""
            raise TypeError(f"{function.__name__}() got an unexpected keyword argument {name!r}{hint}")


def default(hint: Any) -> bool | None:
    """What an option is if nobody gives it."""
    return False if get_args(hint)[0] is bool else None


def _parameter(name: str, hint: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default(hint), annotation=get_args(hint)[0])


def _wrapped(text: str) -> str:
    return textwrap.fill(text, 116, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False)

"""Arguments of functions in the words of the compiled part."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from . import _frames, _options, _types
from ._errors import UsageError
from ._frames import Frame
from ._hierarchies import tree
from ._options import Files, Names, PlanLike
from ._report import Release

_ROLES = ("quasi", "sensitive", "identifier", "publish_as_is", "person", "household", "pseudonym", "study_day")
_LISTS = ("require", "refine", "missing", "profile")
_CHANGES = (
    *("k", "l", "suppress", "delimiter", "encoding", "header", "trim", "decimal", "fold"),
    *("missing_only", "drop_missing", "missing_person", "rows_per_person", "others"),
    *("partitioner", "effort", "time", "measure", "publish", "seed", "about"),
)
_TYPES = {
    **_options.hints_of(_options.AnonymizeOptions),
    **{"quasi": Names, "person": Names, "household": Names, "keep_order": bool, "measures": Names},
    **{"about": Mapping[str, str] | None, "profile": Names},
}


def names(given: Names) -> list[str]:
    """A name or several as a list."""
    return [] if given is None else [given] if isinstance(given, str) else list(given)


def files(given: Files) -> list[str | os.PathLike[str]]:
    """A path or several as a list."""
    return [given] if isinstance(given, (str, os.PathLike)) else list(given)


def listed(given: Names, default: str, name: str = "measures") -> str:
    """Names as the command line writes them."""
    _types.check({name: given}, {name: Names})
    return (given if given is None or isinstance(given, str) else ",".join(given)) or default


def proof_time(given: bool | str | float | None, name: str) -> str | None:
    """How long a proof may take, as the command line writes it. None asks for no proof, and the empty text leaves the time to amidst."""
    _types.check({name: given}, {name: bool | str | float | None})
    if given is None or isinstance(given, bool):
        return "" if given else None
    if isinstance(given, str):
        return given
    if not (math.isfinite(given) and given >= 0):
        raise UsageError(f"{name} must be 0 seconds or more, not {given}")
    return f"{round(1000 * given)}ms"


def asked(
    function: Callable[..., Any], table: Frame, options: Mapping[str, Any], plan: PlanLike = None, **own: Any
) -> str:
    """The plan that a function is asked to follow: from its options, and from arguments of its own."""
    _options.check(function, options)
    given = {**options, **own}
    _types.check({**given, "plan": plan}, _TYPES)
    for name in ("k", "rows_per_person"):
        if given.get(name) is not None and given[name] < 1:
            raise UsageError(f"{name} must be 1 or more, not {given[name]}")
    asked: dict[str, Any] = {"flags": _flags(table if plan is None else None, given), "changes": _changes(given)}
    if isinstance(plan, Mapping):
        asked["plan"] = dict(plan)
    elif plan is not None:
        asked["plan_file"] = os.fspath(plan)
    return json.dumps(asked, default=_types.plain)


def released(release: Frame | Release, options: Mapping[str, Any]) -> tuple[Any, list[tuple[str, Any]], PlanLike]:
    """The tables of a release, and its plan unless the options name another."""
    plan: PlanLike = options.get("plan")
    if not isinstance(release, Release):
        return _frames.arrow(release), [], plan
    plan = release.plan if plan is None else plan
    if isinstance(release.table, Path):
        return release.table, [], plan
    parts = [(name, part) for name, part in release.arrow.items() if name]
    return release.arrow[""], parts, plan


def _flags(table: Frame, given: Mapping[str, Any]) -> dict[str, Any]:
    """What is said of the columns. Those of the table whose type has an order are ordered."""

    def by_column(name: str) -> dict[str, Any]:
        return dict(given.get(name) or {})

    flags: dict[str, Any] = {role: names(given.get(role)) for role in _ROLES}
    flags |= {name: given.get(name) for name in ("personal_k", "personal_l")}
    flags |= {name: by_column(name) for name in ("kind", "show", "shift", "format")}
    flags |= {name: {column: _threshold(each) for column, each in by_column(name).items()} for name in ("top", "bottom", "round")}
    flags["bins"] = {column: [_threshold(edge) for edge in edges] for column, edges in by_column("bins").items()}
    flags["keep_weekday"] = bool(given.get("keep_weekday"))
    flags |= {name: {column: tree(each) for column, each in by_column(name).items()} for name in ("hierarchy", "groups")}
    order = {column: [str(value) for value in values] for column, values in by_column("order").items()}
    for column, categories in _frames.ordered_categories(table).items():
        if column in flags["quasi"] and column not in {**flags["kind"], **flags["hierarchy"]}:
            order.setdefault(column, categories)
    return {**flags, "order": order}


def _threshold(value: object) -> object:
    """A number as it is, and a date or time as a text."""
    return value.isoformat().removesuffix("T00:00:00") if isinstance(value, date) else value


def _changes(given: Mapping[str, Any]) -> dict[str, Any]:
    """What is changed about a plan."""
    changes = {name: given[name] for name in _CHANGES if given.get(name) is not None}
    changes |= {name: names(given.get(name)) for name in _LISTS}
    if given.get("key") is not None:
        changes["key"] = os.fspath(given["key"])
    if given.get("keep_order"):
        changes["order"] = "keep"
    return changes

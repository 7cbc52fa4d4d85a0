"""Arguments of functions in the words of the compiled part."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from . import _frames, _options
from ._frames import Frame
from ._hierarchies import tree
from ._options import Files, Names, PlanLike
from ._report import Release

_ROLES = ("quasi", "sensitive", "identifier", "publish_as_is", "person", "household", "pseudonym", "study_day")
_LISTS = ("require", "refine", "missing", "profile")
_CHANGES = (
    *("k", "l", "suppress", "delimiter", "trim", "decimal", "fold", "missing_only", "drop_missing", "missing_person", "rows_per_person", "others"),
    *("partitioner", "effort", "time", "measure", "publish", "seed", "shuffle", "about"),
)


def names(given: Names) -> list[str]:
    """A name or several as a list."""
    return [] if given is None else [given] if isinstance(given, str) else list(given)


def files(given: Files) -> list[str | os.PathLike[str]]:
    """A path or several as a list."""
    return [given] if isinstance(given, (str, os.PathLike)) else list(given)


def listed(given: Names, default: str) -> str:
    """Names as the command line writes them."""
    return (given if given is None or isinstance(given, str) else ",".join(given)) or default


def asked(
    function: Callable[..., Any], table: Frame, options: Mapping[str, Any], plan: PlanLike = None, **own: Any
) -> str:
    """The plan that a function is asked to follow: from its options, and from arguments of its own."""
    _options.check(function, options)
    given = {**options, **own}
    asked: dict[str, Any] = {"flags": _flags(table if plan is None else None, given), "changes": _changes(given, plan)}
    if isinstance(plan, Mapping):
        asked["plan"] = dict(plan)
    elif plan is not None:
        asked["plan_file"] = os.fspath(plan)
    return json.dumps(asked)


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
    flags["keep_weekday"] = bool(given.get("keep_weekday"))
    flags |= {name: {column: tree(each) for column, each in by_column(name).items()} for name in ("hierarchy", "groups")}
    order = {column: [str(value) for value in values] for column, values in by_column("order").items()}
    for column, categories in _frames.ordered_categories(table).items():
        if column in flags["quasi"] and column not in {**flags["kind"], **flags["hierarchy"]}:
            order.setdefault(column, categories)
    return {**flags, "order": order}


def _changes(given: Mapping[str, Any], plan: PlanLike) -> dict[str, Any]:
    """What is changed about a plan."""
    changes = {name: given[name] for name in _CHANGES if given.get(name) is not None}
    changes |= {name: names(given.get(name)) for name in _LISTS}
    if given.get("key") is not None:
        changes["key"] = os.fspath(given["key"])
    if "shuffle" in given:
        shuffle = changes.pop("shuffle", None)
        if shuffle is not None or plan is None:
            changes["order"] = "shuffle" if shuffle else "keep"
    return changes

"""Plans: everything that is asked of a release."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from . import _native


class Plan(dict[str, Any]):
    """Everything that is asked of a release: a dict with the sections of a plan file.

    `plan["columns"]` has the role and the kind of every column. `plan["privacy"]`, `plan["method"]` and `plan["input"]` have
    the rest. docs/plan.md describes all of them.

    Examples
    --------
    >>> plan = amidst.init(people, k=3)
    >>> plan["columns"]["zip"]["role"]
    'quasi'
    >>> plan["columns"]["zip"] = {"role": "other"}  # correct what was guessed
    >>> print(plan.to_toml())  # doctest: +ELLIPSIS
    [input]
    ...
    k = 3
    ...
    """

    def __init__(self, *args: Any, reasons: Mapping[str, str] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.reasons = dict(reasons or {})
        """Why `init` guessed the role and the kind of a column."""

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Plan:
        """Reads a plan from a TOML file. Paths of hierarchies are relative to that file."""
        return cls(json.loads(_native.plan_from_toml(path)))

    def to_toml(self) -> str:
        """The plan as TOML."""
        return _native.plan_to_toml(json.dumps(self), list(self.reasons.items()))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the plan to a TOML file, which the command line can read. Only the owner can read a new file."""
        _native.save_plan(path, self.to_toml())

    def roles(self) -> dict[str, str]:
        """The role of each column."""
        return {name: column["role"] for name, column in self["columns"].items()}

    def _untouched(self) -> list[str]:
        """The columns whose values are published as they are: not generalized, replaced or coded."""
        changes = {"publish", "top", "bottom", "bins", "round"}
        columns = self["columns"].items()
        return [name for name, column in columns if column["role"] != "quasi" and not any(column.get(key) for key in changes)]

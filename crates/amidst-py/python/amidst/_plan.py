"""Plans: what is asked, as one value."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from . import _native


class Plan(dict[str, Any]):
    """What is asked of a release: a dict with the parts of a plan file.

    `plan["columns"]` has the role and the kind of every column, `plan["privacy"]`, `plan["method"]` and
    `plan["input"]` the rest. Everything that it may say is in docs/plan.md.

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
        """Why a column is what it is, where that was guessed."""

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Plan:
        """The plan in a TOML file. Hierarchy files in it are found relative to it."""
        return cls(json.loads(_native.plan_from_toml(path)))

    def to_toml(self) -> str:
        """The plan as people write it."""
        return _native.plan_to_toml(json.dumps(self), list(self.reasons.items()))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the plan to a TOML file, which the command line reads, too. A new file can only be read by its owner."""
        _native.save_plan(path, self.to_toml())

    def roles(self) -> dict[str, str]:
        """The role of each column."""
        return {name: column["role"] for name, column in self["columns"].items()}

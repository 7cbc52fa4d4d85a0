"""The available choices."""

from __future__ import annotations

import json
from typing import Any

from . import _native


def _members(name: str) -> list[dict[str, Any]]:
    members: list[dict[str, Any]] = json.loads(_native.list_members(name))
    return members


def list_partitioners() -> list[dict[str, Any]]:
    """The algorithms that form classes. Each has a description, a paper and parameters.

    Examples
    --------
    >>> "mondrian" in [each["name"] for each in amidst.list_partitioners()]
    True
    """
    return _members("partitioners")


def list_measures() -> list[dict[str, Any]]:
    """The measures of the loss. Those that are objectives can be the `measure` of `anonymize`."""
    return _members("measures")


def list_constraints() -> list[dict[str, Any]]:
    """The privacy models."""
    return _members("constraints")


def list_publishers() -> list[dict[str, Any]]:
    """The forms of a release."""
    return _members("publishers")


def list_refiners() -> list[dict[str, Any]]:
    """The algorithms that improve classes afterwards."""
    return _members("refiners")


def list_attacks() -> list[dict[str, Any]]:
    """The adversaries of `attack`."""
    return _members("attacks")


def list_hierarchies() -> list[dict[str, Any]]:
    """What a tree can be built by, as the command line names it, and the trees that come with amidst.

    Examples
    --------
    >>> "icd10" in [each["name"] for each in amidst.list_hierarchies()]
    True
    """
    return _members("hierarchies")

"""The types of arguments, checked when a function is called: what has a wrong type raises a `TypeError` that says what was wanted."""

from __future__ import annotations

import numbers
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

_WORDS: dict[Any, str] = {
    bool: "True or False",
    int: "a whole number",
    float: "a number",
    str: "a text",
    Sequence: "a list of texts",
    Mapping: "a dict",
    os.PathLike: "a path",
    Callable: "a function",
    NoneType: "None",
}


def check(given: Mapping[str, Any], hints: Mapping[str, Any]) -> None:
    """Refuses values that do not have the type of their argument."""
    for name, value in given.items():
        hint = hints.get(name)
        if hint is None or _fits(value, hint):
            continue
        if name == "order" and value in ("keep", "shuffle"):
            raise TypeError("order has the categories of columns; for the order of the rows there is keep_order=True")
        raise TypeError(f"{name} must be {' or '.join(_wanted(hint))}, not {_shown(value)}")


def plain(value: Any) -> int | float:
    """A number of numpy as one of Python, which JSON needs."""
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value)
    raise TypeError(f"an argument must not have {_shown(value)} in it")


def _fits(value: Any, hint: Any) -> bool:
    if isinstance(hint, tuple):
        return any(_fits(value, each) for each in hint)
    kind, inner = get_origin(hint) or hint, get_args(hint)
    if kind is Annotated:
        return _fits(value, inner[0])
    if kind in (Union, UnionType):
        return _fits(value, inner)
    if kind in (Any, object):
        return True
    if kind is bool:
        return type(value).__name__ in ("bool", "bool_")
    if kind in (int, float):
        number = numbers.Integral if kind is int else numbers.Real
        return isinstance(value, number) and type(value).__name__ not in ("bool", "bool_")
    if kind is Sequence:
        items = isinstance(value, Collection) and not isinstance(value, (str, bytes, Mapping))
        return items and all(_fits(item, inner[0]) for item in value)
    if kind is Mapping:
        return isinstance(value, Mapping) and all(isinstance(name, str) and _fits(value[name], inner[1]) for name in value)
    return callable(value) if kind is Callable else isinstance(value, kind)


def _wanted(hint: Any) -> list[str]:
    """What a type is called, without None."""
    kind, inner = get_origin(hint) or hint, get_args(hint)
    if kind is Annotated:
        return _wanted(inner[0])
    if kind in (Union, UnionType):
        return list(dict.fromkeys(word for each in inner if each is not NoneType for word in _wanted(each)))
    if kind is Mapping and inner[1] is not Any:
        return [f"a dict whose keys are columns, with {' or '.join(_wanted(inner[1]))} for each"]
    if kind is Sequence and inner[0] is object:
        return ["a list"]
    return [_WORDS.get(kind, getattr(kind, "__name__", str(kind)))]


def _shown(value: Any) -> str:
    """A short value, and the type of what is longer."""
    kind = type(value).__name__
    return f"{value!r} ({kind})" if value is None or isinstance(value, (str, int, float)) else f"a {kind}"

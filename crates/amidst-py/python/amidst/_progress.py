"""Progress of the work."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

Callback = Callable[[str, int, int], object]
"""Called several times a second with the stage, how much of it is done, and how much there is (0 if unknown).

A stage that begins with ``note:`` is a sentence to read, and one that begins with ``status:`` says in words how far the stage before it is."""


@contextlib.contextmanager
def watched(progress: Callback | bool | None) -> Iterator[Callback | None]:
    """The callback for a choice: a function, True for a bar, False for nothing, None for a bar in terminals and notebooks."""
    if callable(progress):
        yield progress
    elif progress is False or (progress is None and not _is_interactive()):
        yield None
    else:
        bar = _bar()
        try:
            yield None if bar is None else _Stages(bar)
        finally:
            if bar is not None:
                bar.close()


def _is_interactive() -> bool:
    return "ipykernel" in sys.modules or bool(getattr(sys.stderr, "isatty", lambda: False)())


def _bar() -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm(delay=1, leave=False, file=sys.stderr, bar_format="{desc} {percentage:3.0f}%|{bar}| {elapsed}")


class _Stages:
    """A bar that starts again with every stage."""

    def __init__(self, bar: Any) -> None:
        self._bar = bar
        self._stage = ""

    def __call__(self, stage: str, done: int, total: int) -> None:
        if stage.startswith("note: "):
            self._bar.write(stage, file=sys.stderr)
            return
        if stage.startswith("status: "):
            self._bar.set_description(f"{self._stage}, {stage.removeprefix('status: ')}", refresh=False)
            return
        if stage != self._stage:
            self._stage = stage
            self._bar.reset(total=total or None)
            self._bar.set_description(stage, refresh=False)
        self._bar.update(done - self._bar.n)

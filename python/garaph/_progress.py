"""How far a job is: for people, while they wait."""

from __future__ import annotations

import sys
import time
from typing import Any, Callable, Dict, Optional, Union

Update = Dict[str, Any]
"""A line of ``garaph --progress json``: phase, state, done, total, unit, rate, eta …"""

Progress = Union[bool, Callable[[Update], Any], None]
"""True shows progress, False does not, None does on a terminal and in a notebook; a
function is called with each update."""

# A job that is over sooner shows nothing.
PATIENCE = 0.3


def display(progress: Progress) -> Callable[[Optional[Update]], Any]:
    """Return what is called with each update, and with None at the end."""
    if not (progress is None or isinstance(progress, bool) or callable(progress)):
        raise TypeError(f"progress is True, False, None, or a function that is called with each update, not {progress!r}")
    if callable(progress):
        return lambda update: progress(update) if update is not None else None
    if progress is False:
        return lambda update: None
    if in_notebook():
        return notebook()
    if progress or sys.stderr is not None and sys.stderr.isatty():
        return Line(sys.stderr)
    return lambda update: None


def in_notebook() -> bool:
    """Report whether output goes to a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return type(shell).__name__ == "ZMQInteractiveShell"


def notebook() -> Callable[[Optional[Update]], Any]:
    """Return bars of tqdm, or else a line that IPython shows."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return Cell()
    return Bars(tqdm)


def text(update: Update) -> str:
    """Return an update as a line for people.

    >>> text({"phase": "pagerank", "done": 12, "total": 200, "unit": "iterations", "rate": 3.21, "eta": 58})
    'pagerank: 12 of 200 iterations, 3.21 a second, 58 s left at most'
    >>> text({"phase": "loading", "done": 0, "total": None, "unit": "steps", "rate": 0, "eta": None})
    'loading'
    """
    done, total, unit = update["done"], update["total"], update["unit"]
    line = update["phase"]
    if done or total:
        line += f": {done:,}" + (f" of {total:,}" if total else "") + f" {unit}"
    if update["rate"]:
        line += f", {update['rate']:,.3g} a second" if update["rate"] < 1000 else f", {update['rate']:,.0f} a second"
    if update["eta"]:
        line += f", {update['eta']} s left" + (" at most" if unit == "iterations" else "")
    return line


class Line:
    """A line of a terminal, which is gone at the end."""

    def __init__(self, stream: Any) -> None:
        self.stream, self.begun, self.width = stream, time.monotonic(), 0

    def __call__(self, update: Optional[Update]) -> None:
        if update is None:
            line = ""
        elif update["state"] == "end" or time.monotonic() - self.begun < PATIENCE:
            return
        else:
            line = text(update)[:100]
        if line or self.width:
            self.stream.write("\r" + line.ljust(self.width) + ("" if line else "\r"))
            self.stream.flush()
            self.width = len(line)


class Cell:
    """A line below the cell of a notebook."""

    def __init__(self) -> None:
        self.begun, self.handle = time.monotonic(), None

    def __call__(self, update: Optional[Update]) -> None:
        if update is None:
            if self.handle is not None:
                self.handle.update(Shown(""))
            return
        if update["state"] == "end" or time.monotonic() - self.begun < PATIENCE:
            return
        shown = Shown(text(update))
        if self.handle is None:
            from IPython.display import display as show

            self.handle = show(shown, display_id=True)
        else:
            self.handle.update(shown)


class Shown:
    """Text that IPython shows as it is."""

    def __init__(self, line: str) -> None:
        self.line = line

    def __repr__(self) -> str:
        return self.line


class Bars:
    """A bar of tqdm for each phase."""

    def __init__(self, tqdm: Callable[..., Any]) -> None:
        self.tqdm, self.bar, self.phase = tqdm, None, None

    def __call__(self, update: Optional[Update]) -> None:
        if update is not None and update["phase"] == self.phase and self.bar is not None:
            self.bar.n = update["done"]
            self.bar.refresh()
            return
        if self.bar is not None:
            self.bar.close()
            self.bar = self.phase = None
        if update is not None and update["state"] != "end":
            self.phase = update["phase"]
            self.bar = self.tqdm(total=update["total"] or None, initial=update["done"], desc=self.phase, unit=" " + update["unit"], leave=False, delay=PATIENCE)

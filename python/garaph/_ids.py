"""Ids that Python alone knows, inside the folder of their graph."""

from __future__ import annotations

import contextlib
import glob
import os
from typing import Iterator, List, Optional

from ._errors import GaraphError
from ._index import Index

# The command knows it as a part of a graph, and removes and copies it as such.
_NAME = "python-ids.npz"


@contextlib.contextmanager
def kept(index: Optional[Index], folder: str) -> Iterator[None]:
    """Put ids into the folder of the graph that is made meanwhile.

    They are written beside it first: where Python is killed between the end of the import
    and theirs, what is left there tells of it.
    """
    if index is None:
        yield
    else:
        waiting = _beside(folder, str(os.getpid()))
        _discard([waiting])
        try:
            index.save(waiting)
            yield
            os.replace(waiting, os.path.join(folder, _NAME))
        finally:
            _discard([waiting])
    _discard(_left(folder))


def load(folder: str, vertices: int) -> Optional[Index]:
    """Return the ids in a graph's folder; None if the command knows them."""
    index = Index.load(os.path.join(folder, _NAME), vertices)
    left = _left(folder)
    if index is None and left:
        raise GaraphError(
            f"{left[0]} was left by an import from Python that was cut off, perhaps before it put the ids into {folder}: "
            "import the graph again, or remove that file if its ids were integers"
        )
    return index


def _beside(folder: str, owner: str) -> str:
    parent, name = os.path.split(os.path.abspath(folder))
    return os.path.join(parent, f".{name}.{owner}.{_NAME}")


def _left(folder: str) -> List[str]:
    """Return such files of processes that are gone."""
    before, after = _beside(folder, "\0").split("\0")
    paths = glob.glob(glob.escape(before) + "[0-9]*" + glob.escape(after))
    return [p for p in paths if not os.path.exists("/proc/" + p[len(before) : -len(after)])]


def _discard(paths: List[str]) -> None:
    for path in paths:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)

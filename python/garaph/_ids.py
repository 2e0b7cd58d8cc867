"""Ids that Python alone knows, inside the folder of their graph."""

from __future__ import annotations

import contextlib
import glob
import os
import secrets
from typing import Any, Dict, Iterator, List, Optional

from ._errors import GaraphError
from ._index import Index

# The command knows it as a part of a graph, and removes and copies it as such.
_NAME = "python-ids.npz"


@contextlib.contextmanager
def kept(index: Optional[Index], folder: str) -> Iterator[List[str]]:
    """Put ids into the folder of the graph that is made meanwhile, with the flags that are given.

    They are written beside it first, so that a full disk is known before. The graph has a word that is in
    their file, too: where that is missing, Python was killed before it was in place, or it was removed.
    """
    if index is None:
        yield []
    else:
        waiting = _beside(folder, str(os.getpid()))
        _discard([waiting])
        try:
            word = secrets.token_hex(8)
            index.save(waiting, word)
            yield [f"--python-ids={word}"]
            os.replace(waiting, os.path.join(folder, _NAME))
        finally:
            _discard([waiting])
    _discard(_left(folder))


def load(folder: str, about: Dict[str, Any]) -> Optional[Index]:
    """Return the ids in the folder of a graph, of which the command says so much; None if it knows them itself."""
    path = os.path.join(folder, _NAME)
    index = Index.load(path, about["vertices"], about["ids"].get("python", ""))
    if index is None and "python" in about["ids"]:
        raise GaraphError(
            f"{path} is missing, and with it the ids of the graph, whose vertices are numbers without it: "
            "put it back, or make the graph again from its edges; the command garaph runs over the graph with numbers as ids"
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

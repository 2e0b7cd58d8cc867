"""Names on their way to the command: columns of strings, as Arrow has them."""

from __future__ import annotations

import sys
from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

# Arrays with fewer names are numbered here, whatever they are: nothing is waited for then.
MANY = 1 << 20

# Bytes of a name that the command is given: where results are read for NumPy, each row is as wide as the longest.
LONGEST = 256

# Names that are joined at once: what they are stays in the processor's cache meanwhile.
_PIECE = 1 << 12

# Objects by which it is guessed how many there are.
_SAMPLE = 1 << 16


class Unsent(Exception):
    """There is an id among names that the command does not take, or that is no string."""


def likely(ids: np.ndarray) -> bool:
    """Report whether an array is one of strings, as far as its ends tell.

    >>> likely(np.array(["a", "b"])), likely(np.array(["a", None])), likely(np.array([1]))
    (True, False, False)
    """
    if ids.dtype.kind != "O":
        return ids.dtype.kind == "U"
    return len(ids) > 0 and isinstance(ids[0], str) and isinstance(ids[-1], str)


def encoded(names: np.ndarray) -> Tuple[np.ndarray, bytes]:
    """Return where each name ends in the bytes of all, behind a 0, and these.

    >>> encoded(np.array(["Basel", "Zürich"]))
    (array([ 0,  5, 12], dtype=int32), b'BaselZ\\xc3\\xbcrich')
    """
    known = _of_ascii(names) if names.dtype.kind == "U" else None
    if known is not None:
        return known
    try:
        pieces = ["\0".join(names[at : at + _PIECE].tolist()) for at in range(0, len(names), _PIECE)]
        text = "\0".join(pieces).encode()
    except (TypeError, UnicodeEncodeError):
        raise Unsent from None
    zeros = np.flatnonzero(np.frombuffer(text, np.uint8) == 0)
    if len(zeros) != len(names) - 1:
        raise Unsent
    offsets = np.zeros(len(names) + 1, np.int32)
    offsets[1:-1] = zeros - np.arange(len(zeros))
    offsets[-1] = len(text) - len(zeros)
    return _short(offsets), text.translate(None, b"\0")


def _of_ascii(names: np.ndarray) -> Optional[Tuple[np.ndarray, bytes]]:
    """Return the same of an array with room for so many characters in each entry; None if some are not ASCII."""
    names = np.ascontiguousarray(names, names.dtype.newbyteorder("="))
    characters = names.view(np.uint32).reshape(len(names), -1)
    if characters.shape[1] == 0 or characters.max() > 127:
        return None
    letters = characters.astype(np.uint8)
    there = np.ascontiguousarray((letters != 0).T)  # sums along short rows are slow
    if (there[1:] > there[:-1]).any():
        raise Unsent  # a 0 within
    offsets = np.zeros(len(names) + 1, np.int32)
    np.cumsum(there.sum(axis=0), out=offsets[1:])
    return _short(offsets), letters.tobytes().translate(None, b"\0")


def _short(offsets: np.ndarray) -> np.ndarray:
    """Return the ends of names if none is empty or too long."""
    lengths = np.diff(offsets)
    if lengths.min() < 1 or lengths.max() > LONGEST:
        raise Unsent
    return offsets


def by_identity(arrays: Sequence[np.ndarray]) -> Optional[Tuple[np.ndarray, np.ndarray]]:
    """Return for each entry of arrays of objects which object it is, and the objects; None where these are not
    far fewer than the entries, or nothing can tell that fast.

    Arrays that were made of a few names have each of these many times, as the same object. To find
    out which one costs a fraction of looking at the text of each. Different objects may be equal.
    """
    if sys.implementation.name != "cpython" or not all(a.dtype.kind == "O" for a in arrays) or not _are_few(arrays):
        return None
    try:
        import pandas
    except ImportError:
        return None
    codes, found = pandas.factorize(np.concatenate([_pointers(a) for a in arrays]))
    first = np.empty(len(found), np.intp)  # or any other place
    first[codes] = np.arange(len(codes))
    first.sort()
    objects: List[Any] = []
    start = 0
    for a in arrays:
        objects.append(a[first[(first >= start) & (first < start + len(a))] - start])
        start += len(a)
    renumbered = np.empty(len(found), codes.dtype)
    renumbered[codes[first]] = np.arange(len(found))
    return renumbered[codes], np.concatenate(objects)


def _pointers(objects: np.ndarray) -> np.ndarray:
    """Return where objects lie, which stay there as long as the array does."""
    return np.frombuffer(objects.tobytes(), np.intp)


def _are_few(arrays: Sequence[np.ndarray]) -> bool:
    """Guess from a sample whether there are at least four times as many entries as objects: of k entries of
    many more objects, n, about k²/2n are there before.
    """
    total = sum(map(len, arrays))
    sample = np.concatenate([_pointers(a[:: max(1, total // _SAMPLE)]) for a in arrays])
    equal = len(sample) - len(np.unique(sample))
    return 2 * equal > len(sample) or equal > 0 and len(sample) ** 2 / (2 * equal) < total / 4

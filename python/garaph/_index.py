"""Ids of vertices: what the user calls them, and the numbers that garaph has for them."""

from __future__ import annotations

import sys
import zipfile
from typing import Any, Dict, Iterable, List, Optional, Sequence, Set, Tuple

import numpy as np

from ._errors import GaraphError, UsageError

# Above so many ids pandas, whose hash tables are several times as fast as NumPy's
# sorting, is worth its import.
_MANY = 1 << 20

_SIGNED = "some ids are negative and others above 2^63 - 1: integers are signed or unsigned, not both in one graph; make strings of them"
_AGAIN = "put back the right file, or make the graph again from its edges"


class Index:
    """The ids of vertices 0 to n-1, where they are known to Python alone.

    Integers and strings are ascending and each there once; other objects are in any order.
    """

    def __init__(self, ids: np.ndarray, ascending: bool) -> None:
        self.ids, self.ascending = ids, ascending
        self._numbers: Optional[Dict[Any, int]] = None  # of objects

    def __len__(self) -> int:
        return len(self.ids)

    def number(self, value: Any) -> Optional[int]:
        """Return the number of a vertex; None if there is none of that id."""
        if not self.ascending:
            if self._numbers is None:
                self._numbers = {x: i for i, x in enumerate(self.ids)}
            try:
                return self._numbers.get(value)
            except TypeError:  # it has no hash
                return None
        strings = self.ids.dtype.kind not in "iu"
        if isinstance(value, (bool, np.bool_)) or isinstance(value, (str, bytes)) != strings:
            return None
        if not strings:
            if not isinstance(value, (int, np.integer)):
                return None
            limits = np.iinfo(self.ids.dtype)
            if not limits.min <= int(value) <= limits.max:
                return None
            value = self.ids.dtype.type(value)
        if self.ids.dtype.kind in "US" and value[-1:] in ("\0", b"\0"):
            return None  # and not that without it, which NumPy would find
        try:
            at = int(np.searchsorted(self.ids, objects([value]) if self.ids.dtype.kind == "O" else [value])[0])
        except (TypeError, UnicodeError):  # text among bytes
            return None
        return at if at < len(self.ids) and self.ids[at] == value else None

    def save(self, path: str, word: str) -> None:
        """Write the ids to a new file, with a word by which they are known to be those of a graph."""
        what: Dict[str, np.ndarray] = {"word": np.array(word)}
        if self.ids.dtype.kind in "iuS":
            what["ids"] = self.ids
        else:
            names = [str(x).encode("utf-8", "surrogatepass") for x in self.ids]
            what["names"] = np.frombuffer(b"".join(names), np.uint8)
            what["ends"] = np.cumsum([len(x) for x in names], dtype=np.int64)
        with open(path, "xb") as f:
            np.savez(f, **what)

    @classmethod
    def load(cls, path: str, count: int, word: str) -> Optional[Index]:
        """Read what save has written, of a graph of so many vertices; None if there is no such file."""
        try:
            with open(path, "rb") as f, np.load(f, allow_pickle=False) as file:
                written = str(file["word"]) if "word" in file else ""
                if "ids" in file:
                    ids = file["ids"]
                    whole = ids.ndim == 1 and ids.dtype.kind in "iuS"
                else:
                    names, ends = file["names"].tobytes(), file["ends"].astype(np.int64)
                    starts = np.concatenate(([0], ends[:-1]))
                    whole = bool((starts <= ends).all()) and len(ends) > 0 and ends[-1] == len(names)
                    ids = objects([names[a:b].decode("utf-8", "surrogatepass") for a, b in zip(starts, ends)] if whole else [])
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as err:
            raise GaraphError(f"{path}, which has the ids of the graph, cannot be read: {err}; {_AGAIN}") from err
        if not whole or len(ids) != count:
            raise GaraphError(f"{path} is damaged or another graph's: it has {len(ids):,} ids for {count:,} vertices; {_AGAIN}")
        if written != word:
            raise GaraphError(f"{path} has the ids of another graph; {_AGAIN}")
        return cls(ids, True)

    @property
    def can_be_saved(self) -> bool:
        return self.ascending


def objects(values: Sequence[Any]) -> np.ndarray:
    """Return an array of objects, each as it is; tuples too.

    >>> objects([(0, 1), (1, 1)]).shape
    (2,)
    """
    array = np.empty(len(values), object)
    for i, x in enumerate(values):
        array[i] = x
    return array


def id_array(values: Any, what: str) -> np.ndarray:
    """Return ids as an array of integers or of strings, or as objects, which are to be checked."""
    if isinstance(values, (str, bytes)) or not (hasattr(values, "__array__") or hasattr(values, "__iter__")):
        raise TypeError(f"{what}: expected a list or an array of ids, not {values!r}")
    at = first_masked(values)
    if at is not None:
        raise UsageError(f"{what}: entry {at} is masked: leave such edges out")
    array = array_of(values) if hasattr(values, "__array__") else of_list(list(values))
    if array.ndim != 1:
        raise UsageError(f"{what}: expected one dimension, got an array of shape {array.shape}")
    if array.dtype.kind in "iuUS" or not len(array):
        return array if len(array) else array.astype(np.int64)
    if array.dtype.kind in "mM":
        raise TypeError(f"{what}: ids are integers or strings, not {array.dtype}; make strings of times, for example with astype(str)")
    if array.dtype.kind != "O":
        if array.dtype.kind == "f" and np.isnan(array).any():
            at = int(np.flatnonzero(np.isnan(array))[0])
            raise UsageError(f"{what}: entry {at} is missing (nan): leave such edges out, for example with dropna(), and make integers of the other ids, with astype('int64')")
        if array.dtype.kind == "f":
            check_floats(array, what)
        kind = "'int64'" if array.dtype.kind == "b" or array.dtype.kind == "f" and (array == np.rint(array)).all() else "str"
        raise TypeError(f"{what}: ids are integers or strings, not {array.dtype}; convert them, for example with astype({kind})")
    return array


def check_floats(array: np.ndarray, what: str) -> None:
    """Refuse floats that no conversion makes ids of: infinite ones, and such as more integers than one are rounded to."""
    most = 2.0 ** (np.finfo(array.dtype).nmant + 1)
    large = np.flatnonzero(np.abs(array) >= most)
    if len(large):
        at = int(large[0])
        why = "which is no id: leave such edges out" if np.isinf(array[at]) else f"and from {most:.0f} on a {array.dtype} may stand for another integer: read such ids as integers or strings from the start"
        raise UsageError(f"{what}: entry {at} is {array[at]}, {why}")


def array_of(values: Any) -> np.ndarray:
    """Return values as an array. Of integers with missing ones, pandas makes floats from version 3 on, with NaN for
    these: they become objects, as before, and are missing.
    """
    array = np.asarray(values)
    if array.dtype.kind == "f" and hasattr(getattr(values, "dtype", None), "na_value") and np.asarray(values.isna()).any():
        return np.asarray(values, object)
    return array


def first_masked(values: Any) -> Optional[int]:
    """Return where a masked array has the first entry that is masked, and that NumPy takes for what lies there."""
    mask = np.flatnonzero(np.ma.getmaskarray(values)) if isinstance(values, np.ma.MaskedArray) else ()
    return int(mask[0]) if len(mask) else None


def checked(array: np.ndarray, what: str) -> np.ndarray:
    """Return ids as an array of integers or of strings, or as objects that are neither; no string is empty."""
    if array.dtype.kind == "O" and len(array):
        array = of_objects(array, what)
    if len(array) and isinstance(array[0], (str, bytes)):
        empty = np.flatnonzero(array == type(array[0])())
        if len(empty):
            raise UsageError(f"{what}: entry {empty[0]} is an empty name, which is no id: leave such edges out, or give such vertices a name")
    return array


def of_list(values: List[Any]) -> np.ndarray:
    """Return a list as an array that has each entry as it is: NumPy makes strings of 1 and "a", floats of
    1 and 2**63, and "a" of "a\\0".

    >>> of_list([1, "a"]).tolist(), of_list([1, 2**63]).tolist()
    ([1, 'a'], [1, 9223372036854775808])
    """
    types = set(map(type, values))
    if types == {int}:
        try:
            return np.array(values, np.int64)
        except OverflowError:
            return objects(values)
    if all(issubclass(t, str) for t in types):
        return np.array(values, object)
    if len(types) > 1 or types == {bytes} and any(x.endswith(b"\0") for x in values):
        return objects(values)
    try:
        return np.asarray(values)
    except ValueError:  # lists of several lengths
        return objects(values)


def of_objects(array: np.ndarray, what: str) -> np.ndarray:
    """Return an array of objects as one of integers if all are, and refuse missing values."""
    types = set(map(type, array))
    if types == {str}:
        return array
    for i, x in enumerate(array):
        try:
            hash(x)
        except TypeError:
            raise TypeError(f"{what}: entry {i} is {x!r}, and no id, for it can change and has no hash: make a string or a tuple of it") from None
        if x is None or type(x).__name__ in ("NAType", "NaTType") or x != x:
            raise UsageError(f"{what}: entry {i} is missing ({x!r}): leave such edges out, for example with dropna()")
    if all(issubclass(t, (int, np.integer)) and not issubclass(t, bool) for t in types):
        try:
            return array.astype(np.int64)
        except OverflowError:
            pass
        if min(array) < 0:
            raise UsageError(_SIGNED)  # NumPy 1 would wrap it
        try:
            return array.astype(np.uint64)
        except OverflowError:
            raise UsageError(f"{what}: ids are integers of 64 bits, signed or unsigned; make strings of larger ones") from None
    check_types(array)
    return array


def check_types(array: np.ndarray) -> Set[type]:
    """Return the types of objects, of which there is one at most."""
    types = {str if issubclass(t, str) else t for t in set(map(type, array))}
    if len(types) > 1:
        raise TypeError(several_kinds(t.__name__ for t in types))
    return types


def integers(arrays: List[np.ndarray]) -> np.dtype:
    """Return the type that has all integers of some arrays.

    >>> integers([np.array([1, 2**40]), np.array([2**63], np.uint64)])
    dtype('uint64')
    """
    if max(int(a.max()) for a in arrays) <= np.iinfo(np.int64).max:
        return np.dtype("<i8")
    if min(int(a.min()) for a in arrays) < 0:
        raise UsageError(_SIGNED)
    return np.dtype("<u8")


def together(arrays: List[np.ndarray]) -> np.ndarray:
    """Return several arrays of ids as one, without a change of what they are."""
    arrays = [a for a in arrays if len(a)] or arrays[:1]
    kinds = {a.dtype.kind for a in arrays}
    if kinds == {"i", "u"}:  # NumPy would make floats of them
        dtype = integers(arrays)
        arrays = [a.astype(dtype) for a in arrays]
    elif len(kinds) > 1 and kinds not in ({"U", "O"}, {"S", "O"}):
        raise TypeError(several_kinds({a.dtype.name for a in arrays}))
    elif len(kinds) > 1:
        arrays = [a.astype(object) for a in arrays]
    return np.concatenate(arrays)


def several_kinds(names: Iterable[str]) -> str:
    return "some ids are " + " and others ".join(sorted(names)) + ": they must be of one kind"


def numbered(ids: np.ndarray) -> Tuple[np.ndarray, Index]:
    """Number ids, ascending where they have an order: return the number of each, and the
    index of them all.

    >>> codes, index = numbered(np.array(["Bern", "Basel", "Bern"]))
    >>> codes.tolist(), index.ids.tolist()
    ([1, 0, 1], ['Basel', 'Bern'])
    """
    pandas = sys.modules.get("pandas") or (len(ids) > _MANY and _pandas()) or None
    if ids.dtype.kind != "O":
        if pandas is not None and ids.dtype.kind in "iu":
            codes, found = pandas.factorize(ids, sort=True)
        else:
            found, codes = np.unique(ids, return_inverse=True)
        return codes.astype(np.uint32), Index(np.asarray(found), True)
    if check_types(ids) <= {str}:
        if pandas is not None and not any("\0" in x for x in ids):  # pandas compares names up to a 0
            codes, found = pandas.factorize(ids)
            names = found.tolist()
            order = sorted(range(len(names)), key=names.__getitem__)  # several times as fast as pandas and NumPy
            places = np.empty(len(order), np.uint32)
            places[order] = np.arange(len(order), dtype=np.uint32)
            return places[codes], Index(np.asarray(found, object)[order], True)
        found, codes = np.unique(ids, return_inverse=True)
        return codes.astype(np.uint32), Index(found, True)
    numbers: Dict[Any, int] = {}
    codes = np.fromiter((numbers.setdefault(x, len(numbers)) for x in ids), np.uint32, len(ids))
    return codes, Index(objects(list(numbers)), False)


def _pandas() -> Any:
    try:
        import pandas
    except ImportError:
        return None
    return pandas

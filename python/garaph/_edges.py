"""Edges on their way to the command: arrays, checked, as the bytes of raw edges or as Arrow."""

from __future__ import annotations

import itertools
from typing import Any, Callable, Iterator, List, Optional

import numpy as np

from . import _arrow, _names
from ._errors import UsageError, warn
from ._index import Index, array_of, checked, first_masked, id_array, integers, numbered, objects, together

# Edges of a chunk: its bytes fit into a pipe of a megabyte, and into a cache.
_CHUNK = 1 << 16

# Vertices of a graph at most, and the ids of raw edges.
_MOST, _IDS = 2**32 - 1, 2**32

_ITS_WEIGHT = "a weight is finite, not negative, and at most 3.4e38"

_U4, _F4, _F8, _NAMES = np.dtype("<u4"), np.dtype("<f4"), np.dtype("<f8"), np.dtype(object)


class Edges:
    """Edges as numbers, of 32 bits if nothing else is said, and what they stand for; or as names.

    Where there is no index, the numbers are the user's ids themselves; if count is given,
    they are all of 0 to count-1, and else those that the edges mention. Names are the
    user's ids too, and are looked at while they are sent: that may end with _names.Unsent.
    Weights are sent as 64-bit floats if they are such, and else as 32-bit floats.
    """

    def __init__(self, source: np.ndarray, target: np.ndarray, weight: Optional[np.ndarray], index: Optional[Index] = None, count: Optional[int] = None, dtype: np.dtype = _U4) -> None:
        self.source, self.target, self.weight = source, target, weight
        self.index, self.count, self.dtype = index, count, dtype
        self.wide = weight is not None and weight.dtype == np.float64

    def __len__(self) -> int:
        return len(self.source)

    @property
    def names(self) -> bool:
        return self.dtype == _NAMES

    def numbered(self) -> Edges:
        """Return the same edges with numbers in place of names."""
        return of_ids(self.source, self.target, self.weight)

    def arguments(self) -> List[str]:
        """Return the flags of garaph import for them."""
        precision = ["--weights=float64"] if self.wide else []
        if self.dtype != _U4:
            ids = ["--ids=string"] if self.names else []
            return [*precision, *ids, "--format=arrow", "--columns=source,target" + ("" if self.weight is None else ",weight")]
        count = len(self.index) if self.index is not None else self.count
        dense = [] if count is None else [f"--vertices={count}"]
        return [*precision, f"--format={'raw' if self.weight is None else 'raww64' if self.wide else 'raww'}", *dense]

    def chunks(self) -> Iterator[np.ndarray]:
        """Yield them as raw edges, or as Arrow; a chunk is valid until the next one."""
        weight = _F8 if self.wide else _F4
        if self.dtype != _U4:
            columns = {"source": (self.source, self.dtype), "target": (self.target, self.dtype)}
            yield from _arrow.stream(columns if self.weight is None else {**columns, "weight": (self.weight, weight)}, _CHUNK)
            return
        fields = [("source", _U4), ("target", _U4)] + ([] if self.weight is None else [("weight", weight)])
        rows = np.empty(min(_CHUNK, len(self)), fields)
        for at in range(0, len(self), _CHUNK):
            part = rows[: min(_CHUNK, len(self) - at)]
            part["source"] = self.source[at : at + _CHUNK]
            part["target"] = self.target[at : at + _CHUNK]
            if self.weight is not None:
                part["weight"] = self.weight[at : at + _CHUNK]
            yield part.view(np.uint8)


def edges(source: Any, target: Any, weight: Any = None, vertices: Any = None, stay: bool = False) -> Edges:
    """Check arrays of edges, and number their ids if they have to be; names of a graph that is to stay are
    left to the command, which keeps them.
    """
    source, target = id_array(source, "source"), id_array(target, "target")
    if len(source) != len(target):
        raise UsageError(f"source has {len(source):,} entries and target {len(target):,}: an edge has one in each")
    weight = None if weight is None else weights(weight, len(source))
    if isinstance(vertices, (int, np.integer)) and not isinstance(vertices, bool):
        return dense(checked(source, "source"), checked(target, "target"), weight, int(vertices))
    if vertices is None:
        if not len(source):
            raise UsageError("there is no edge, and so no vertex: vertices=N makes a graph of N vertices without edges")
        if _names.likely(source) and _names.likely(target) and (stay or len(source) > _names.MANY):
            known = None if stay else of_few(source, target, weight)
            return known or Edges(source, target, weight, dtype=_NAMES)
    return of_ids(source, target, weight, vertices)


def of_few(source: np.ndarray, target: np.ndarray, weight: Optional[np.ndarray]) -> Optional[Edges]:
    """Return edges between names that are the same objects again and again; None if others are."""
    found = _names.by_identity([source, target])
    if found is None:
        return None
    try:
        numbers, index = numbered(checked(found[1], "ids"))
    except (TypeError, UsageError):
        return of_ids(source, target, weight)  # which says what is wrong where
    codes = numbers[found[0]]
    return Edges(codes[: len(source)], codes[len(source) :], weight, index)


def of_ids(source: np.ndarray, target: np.ndarray, weight: Optional[np.ndarray], vertices: Any = None) -> Edges:
    """Check ids, and number those that are no integers, or have others beside them."""
    source, target = checked(source, "source"), checked(target, "target")
    if vertices is None and source.dtype.kind in "iu" and target.dtype.kind in "iu":
        small = all(a.min() >= 0 and int(a.max()) < _IDS for a in (source, target))
        return Edges(source, target, weight, dtype=_U4 if small else integers([source, target]))
    more = [] if vertices is None else [checked(id_array(vertices, "vertices"), "vertices")]
    all_ids = together([source, target, *more])
    if not len(all_ids):
        raise UsageError("there is no vertex: a graph has one at least")
    codes, index = numbered(all_ids)
    if len(index) > _MOST:
        raise UsageError(f"{len(index):,} vertices are more than {_MOST:,}, the most that a graph has")
    n = len(source)
    if vertices is not None:
        check_known(codes, index, n)
    return Edges(codes[:n], codes[n : 2 * n], weight, index)


def check_known(codes: np.ndarray, index: Index, n: int) -> None:
    """Check that the numbers of n sources and n targets are among those of the vertices, which follow them."""
    known = np.zeros(len(index), bool)
    known[codes[2 * n :]] = True
    others = np.flatnonzero(~known[codes[: 2 * n]])
    if len(others):
        at = int(others[0])
        what, entry = ("source", at) if at < n else ("target", at - n)
        raise UsageError(f"{what}: entry {entry} is {index.ids[codes[at] : codes[at] + 1].tolist()[0]!r}: vertices, the ids of all vertices, do not have it")


def dense(source: np.ndarray, target: np.ndarray, weight: Optional[np.ndarray], count: int) -> Edges:
    """Check edges between vertices 0 to count-1."""
    if not 1 <= count <= _MOST:
        raise UsageError(f"vertices={count:,}: a graph has 1 to {_MOST:,} vertices")
    for what, ids in (("source", source), ("target", target)):
        if ids.dtype.kind not in "iu":
            raise TypeError(f"{what}: with vertices={count}, ids are integers from 0 to {count - 1}; vertices can also be the ids of all vertices")
        if len(ids) and not (0 <= ids.min() and int(ids.max()) < count):
            at = int(np.flatnonzero((ids < 0) | (ids >= count))[0])
            raise UsageError(f"{what}: entry {at} is {ids[at]}: with vertices={count}, ids run from 0 to {count - 1}")
    return Edges(source, target, weight, None, count)


def weights(values: Any, count: int, place: Callable[[int], str] = lambda at: f"edge {at} has") -> np.ndarray:
    """Check weights: finite, not negative, and one for each edge, or a number for all of them. Errors say
    by place where one is. Return 64-bit floats only if there are whole numbers up to 2**53 that 32-bit
    floats do not hold; the others among them are rounded to 32-bit floats.
    """
    if isinstance(values, (int, float, np.number)) or isinstance(values, np.ndarray) and values.ndim == 0:
        values = np.broadcast_to(np.asarray(values), (count,))
    elif isinstance(values, (str, bytes)) or not (hasattr(values, "__array__") or hasattr(values, "__iter__")):
        raise TypeError(f"weight: expected a number, or one for each edge, not {values!r}")
    array = array_of(values if hasattr(values, "__array__") or isinstance(values, list) else list(values))
    at = first_masked(values)
    if at is not None:
        raise UsageError(f"weight: edge {at} has none, for it is masked: {_ITS_WEIGHT}")
    if array.dtype.kind == "O":
        array = floats(array)
    if array.dtype.kind not in "iufb":
        raise TypeError(f"weight: weights are numbers, not {array.dtype}")
    if array.shape != (count,):
        raise UsageError(f"weight: an array of shape {array.shape} for {count:,} edges")
    if not count:
        return array.astype(np.float32)
    if not (array.min() >= 0 and array.max() <= np.finfo(np.float32).max):
        at = int(np.flatnonzero(~((array >= 0) & (array <= np.finfo(np.float32).max)))[0])
        raise UsageError(f"weight: {place(at)} {array[at]}; {_ITS_WEIGHT}")
    if array.dtype.kind == "f" and array.dtype.itemsize > 4:
        tiny = (array > 0) & (array <= 2.0**-150)  # 32-bit floats make 0 of these
        if tiny.any():
            at = int(np.flatnonzero(tiny)[0])
            raise UsageError(f"weight: {place(at)} {array[at]}, of which a 32-bit float makes 0; expected 0, or at least 1.4e-45")
    if array.dtype.itemsize > 2 and array.max() > 2**24:
        large = array[array > 2**24].astype(np.float64)
        rounded = large[(large == np.trunc(large)) & (large != large.astype(np.float32))]
        beyond = rounded[rounded > 2**53]
        if beyond.size:
            warn(f"weight: {beyond.size:,} whole numbers are rounded to 24 bits, the largest of them {beyond.max():.0f}")
        if rounded.size > beyond.size:
            exact = array.astype(np.float64)
            return np.where((exact == np.trunc(exact)) & (exact <= 2**53), exact, exact.astype(np.float32))
    return array.astype(np.float32) if array.dtype == np.float64 else array


def floats(array: np.ndarray) -> np.ndarray:
    """Return objects as floats if all are numbers."""
    for at, x in enumerate(array):
        if x is None or type(x).__name__ == "NAType":
            raise UsageError(f"weight: entry {at} is missing ({x!r}): leave such edges out, for example with dropna(), or give them a weight")
        if isinstance(x, (str, bytes)):  # NumPy would read them
            raise TypeError(f"weight: weights are numbers, not {x!r}; convert them, for example with astype(float)")
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError):
        raise TypeError("weight: weights are numbers") from None


def of_matrix(matrix: Any, weighted: Optional[bool], directed: bool) -> Edges:
    """Return the entries of a sparse matrix of SciPy as edges."""
    if not hasattr(matrix, "tocoo"):
        raise TypeError(f"expected a sparse matrix or array of SciPy, not {type(matrix).__name__}; scipy.sparse.csr_matrix makes one of an array")
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise UsageError(f"a matrix of shape {matrix.shape} is not square: it has a row and a column for each vertex")
    if not getattr(matrix, "has_canonical_format", True):  # entries of one place are added up
        matrix = matrix.tocsr(copy=True)
        matrix.sum_duplicates()
    entries = matrix.tocoo()
    if weighted is None:
        weighted = entries.dtype != bool and not bool((entries.data == 1).all())
    values = weights(entries.data, entries.nnz, lambda at: f"the entry in row {entries.row[at]} and column {entries.col[at]} is") if weighted else None
    if not directed:
        import scipy.sparse

        data = np.ones(entries.nnz) if values is None else values
        entries = triangle(scipy.sparse.coo_matrix((data, (entries.row, entries.col)), entries.shape))
        values = None if values is None else entries.data
    return dense(entries.row, entries.col, values, matrix.shape[0])


def triangle(matrix: Any) -> Any:
    """Return the triangle of a matrix in coordinates that stands for all of it."""
    import scipy.sparse

    upper, lower = scipy.sparse.triu(matrix, 1, format="csr"), scipy.sparse.tril(matrix, -1).T.tocsr()
    if not upper.nnz or not lower.nnz:
        return matrix
    for half in (upper, lower):
        half.sum_duplicates()  # and sorts; entries of 0 stay, which are edges
    if not all(np.array_equal(getattr(upper, part), getattr(lower, part)) for part in ("indptr", "indices", "data")):
        raise UsageError("the matrix is not symmetric: with directed=False, the entries of both directions are the same, or those of one are there")
    return scipy.sparse.triu(matrix, format="coo")


def of_networkx(graph: Any, weight: Optional[str]) -> Edges:
    """Return the edges of a graph of NetworkX, and its nodes as ids in their order."""
    if not hasattr(graph, "number_of_edges"):
        raise TypeError(f"expected a graph of NetworkX, not {type(graph).__name__}")
    nodes = list(graph)
    if not nodes:
        raise UsageError("the graph has no node: a graph has one at least")
    if any(isinstance(x, (str, bytes)) and not x for x in nodes):
        raise UsageError("a node has an empty name, which is no id: networkx.relabel_nodes gives it another")
    n = graph.number_of_edges()
    if nodes == list(range(len(nodes))) and all(type(x) is int for x in nodes):
        index, count, numbers = None, len(nodes), None
    else:
        index, count = Index(objects(nodes), False), None
        numbers = {x: i for i, x in enumerate(nodes)}
    both = itertools.chain.from_iterable(graph.edges())
    ends = np.fromiter(both if numbers is None else map(numbers.__getitem__, both), np.uint32, 2 * n).reshape(n, 2)
    values = None
    absent = object()  # while None is a value, and no weight
    if weight is not None and any(w is not absent for *_, w in graph.edges(data=weight, default=absent)):
        values = weights([w for *_, w in graph.edges(data=weight, default=1)], n)
    return Edges(ends[:, 0], ends[:, 1], values, index, count)

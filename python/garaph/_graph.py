"""Graphs, and the programs that run over them."""

from __future__ import annotations

import inspect
import json
import os
from typing import Any, Callable, Dict, Generic, List, Optional, Set, Tuple, TypeVar, Union

import numpy as np

from . import _binary, _edges, _ids, _names, _page, _parameters, _process, _queries
from ._errors import GaraphError, UsageError
from ._index import Index, array_of, of_list
from ._progress import Progress
from ._results import Table
from ._scratch import Scratch
from ._typing import DataFrame, NetworkXGraph, Series

R = TypeVar("R")

# More sources than that are handed over in a file.
_MANY_SOURCES = 1000

# Parameters of every run that a job keeps, as it keeps those of its program.
_KEPT = ["iterations", "mode", "method"]

# The kinds of results.
_ARRAY, _SERIES, _DICT = "array", "series", "dict"


class Graph(_queries.Queries[R], Generic[R]):
    """A graph on disk, over which programs run.

    It is made from edges by :meth:`from_edges`, :meth:`from_pandas`, :meth:`from_scipy`,
    :meth:`from_networkx` or :meth:`from_file`, in the folder ``path`` or in a temporary
    one, which goes when the graph is closed or collected; :meth:`open` opens one that is
    there. Each program of the command is a method, such as :meth:`pagerank` and
    :meth:`sssp`; :meth:`run` runs any by its name. Others look at single vertices and edges,
    such as :meth:`shortest_path`, :meth:`neighbors` and :meth:`edges`, or make a graph of a
    part of this one, such as :meth:`subgraph`.

    Results come as what the edges came as, one value for each vertex in the order of
    :attr:`ids`: arrays from arrays and SciPy, Series from pandas, dictionaries from
    NetworkX. :meth:`as_arrays`, :meth:`as_series` and :meth:`as_dicts` change that. A
    program with several columns gives a dictionary of arrays, a DataFrame, or
    dictionaries by name. What was not reached is NaN in arrays, NaN or NA in pandas, and
    None in dictionaries and where values are vertices that are no integers of a Series.

    >>> with Graph.from_edges(["Basel", "Bern", "Basel"], ["Bern", "Brig", "Brig"], [55, 66, 200]) as g:
    ...     g.as_dicts().sssp(source="Basel")
    {'Basel': 0.0, 'Bern': 55.0, 'Brig': 121.0}
    """

    path: str
    """The folder."""
    num_vertices: int
    """The number of vertices."""
    num_edges: int
    """The number of edges, as they are stored: those of an undirected graph twice."""
    weighted: bool
    """Whether edges have weights."""
    _weight: str  # of NumPy's types
    directed: bool
    """Whether edges have one direction."""
    report: Optional[Dict[str, Any]] = None
    """What the command reports of the last run, path or community (``--json``); vertices are under the user's ids."""

    def __init__(self) -> None:
        raise TypeError("a graph is made by Graph.from_edges, from_pandas, from_scipy, from_networkx or from_file, or opened by Graph.open")

    # Making graphs.

    @classmethod
    def from_edges(
        cls, source: Any, target: Any, weight: Any = None, *, vertices: Any = None, directed: bool = True,
        path: Union[str, os.PathLike[str], None] = None, progress: Progress = None, **options: Any,
    ) -> Graph[np.ndarray]:  # fmt: skip
        """Make a graph from arrays of edges: from source[i] to target[i], with weight[i], or
        with one weight for all.

        Ids are integers of up to 64 bits or strings. vertices is the number of vertices,
        whose ids are then 0 to vertices-1, or the ids of all vertices, also of those without edges;
        an edge to another one is refused.
        Weights are finite, not negative, and rounded to 32-bit floats, but for whole
        numbers up to 2**53, which are exact.

        The options are those of ``garaph import``: parallel, dedup, drop_self_loops, layout, order,
        rows, threads, memory, and force, which replaces the graph that is at path.

        >>> g = Graph.from_edges([0, 1, 2], [1, 2, 0], vertices=4)
        >>> g.bfs(source=0)
        array([ 0.,  1.,  2., nan])
        """
        return _from("from_edges", _edges.edges(source, target, weight, vertices, path is not None), _ARRAY, directed, path, progress, options)

    @classmethod
    def from_pandas(
        cls, edges: DataFrame, source: Any = "source", target: Any = "target", weight: Any = None, *, vertices: Any = None,
        directed: bool = True, path: Union[str, os.PathLike[str], None] = None, progress: Progress = None, **options: Any,
    ) -> Graph[Series]:  # fmt: skip
        """Make a graph from a DataFrame with a row for each edge.

        source, target and weight name its columns; without weight, edges have none. The
        rest is as with :meth:`from_edges`.
        """
        if not hasattr(edges, "columns"):
            raise TypeError(f"expected a DataFrame with a row for each edge, not {type(edges).__name__}; from_edges takes arrays")
        columns = [_column(edges, name) for name in ([source, target] if weight is None else [source, target, weight])]
        made = _edges.edges(columns[0], columns[1], columns[2] if weight is not None else None, vertices, path is not None)
        return _from("from_pandas", made, _SERIES, directed, path, progress, options)

    @classmethod
    def from_scipy(
        cls, matrix: Any, *, weighted: Optional[bool] = None, directed: bool = True,
        path: Union[str, os.PathLike[str], None] = None, progress: Progress = None, **options: Any,
    ) -> Graph[np.ndarray]:  # fmt: skip
        """Make a graph from a square sparse matrix: the entry in row i and column j is the
        weight of the edge from i to j.

        Stored zeros are edges of weight 0. Weights are left out of a matrix of booleans, of
        one that has nothing but ones, and with weighted=False. With directed=False the
        matrix is symmetric, or has one triangle, and each entry is an edge in both directions.
        """
        return _from("from_scipy", _edges.of_matrix(matrix, weighted, directed), _ARRAY, directed, path, progress, options)

    @classmethod
    def from_networkx(
        cls, graph: NetworkXGraph, weight: Optional[str] = "weight", *,
        path: Union[str, os.PathLike[str], None] = None, progress: Progress = None, **options: Any,
    ) -> Graph[Dict[Any, Any]]:  # fmt: skip
        """Make a graph from one of NetworkX, directed or undirected as that is; parallel
        edges stay. Results stand under its nodes, in their order.

        weight is the attribute of edges that is their weight; edges without it have 1,
        as in NetworkX, and None is an error. Where no edge has it, or weight is None, edges have no weights.
        """
        made = _edges.of_networkx(graph, weight)
        return _from("from_networkx", made, _DICT, graph.is_directed(), path, progress, options)

    @classmethod
    def from_file(
        cls, *files: Union[str, os.PathLike[str]], directed: bool = True,
        path: Union[str, os.PathLike[str], None] = None, progress: Progress = None, **options: Any,
    ) -> Graph[Any]:  # fmt: skip
        """Make a graph from edge files, or folders of them, in any format that
        ``garaph import`` reads. The options are its flags, such as format, ids, columns,
        delimiter and weights.

        Results are Series where pandas is there, and arrays where it is not.
        """
        if not files:
            raise UsageError("expected one or more files of edges")
        names = [_file(f) for f in files]
        return _make("from_file", [], names, None, None, _default(), directed, path, progress, options)

    @classmethod
    def open(cls, path: Union[str, os.PathLike[str]]) -> Graph[Any]:
        """Open a graph that is there, made by this package or by ``garaph import``.

        Results are Series where pandas is there, and arrays where it is not.
        """
        path = os.fspath(path)
        about = _process.run(["info", "--json", "--", _file(path)], progress=False)
        g = _new(path, about, _default())
        g._shared.index = _ids.load(path, about)
        return g

    # What results are.

    def as_arrays(self) -> Graph[np.ndarray]:
        """Return the same graph, with arrays as results."""
        return self._as(_ARRAY)

    def as_series(self) -> Graph[Series]:
        """Return the same graph, with Series of pandas as results."""
        return self._as(_SERIES)

    def as_dicts(self) -> Graph[Dict[Any, Any]]:
        """Return the same graph, with dictionaries by id as results."""
        return self._as(_DICT)

    def _as(self, returns: str) -> Graph[Any]:
        g: Graph[Any] = object.__new__(Graph)
        g.__dict__.update(self.__dict__, _returns=returns)
        return g

    @property
    def ids(self) -> np.ndarray:
        """The ids of all vertices, in the order in which results have them. They cannot be written: results have the same array."""
        ids = self._ids()
        ids.setflags(write=False)
        return ids

    def _ids(self) -> np.ndarray:
        shared = self._shared
        if shared.index is not None:
            return shared.index.ids
        if shared.ids is None:
            if shared.dense:
                shared.ids = np.arange(self.num_vertices)
            else:  # the program that costs least: it reads no edges
                self._check_open()
                report = self.report
                with Scratch() as folder:
                    self._table(["run", "degrees"], False, folder)
                self.report = report
        return shared.ids

    # Running programs.

    def run(self, program: str, /, *, progress: Progress = None, **parameters: Any) -> R:
        """Run a program by its name: ``g.run("sssp", source="Basel")``.

        Parameters are the flags of ``garaph run PROGRAM``, with _ for -; a source may be a
        list of vertices. Ctrl-C ends the job in order, and :meth:`resume` goes on with it.

        >>> Graph.from_edges([1, 2], [2, 3]).as_dicts().run("components")
        {1: 1, 2: 1, 3: 1}
        """
        self._check_open()
        binary = _binary.find()
        about = _binary.program(binary, program)
        if about is None:
            names = [p["name"] for p in _binary.programs(binary)["programs"]]
            raise UsageError(f"unknown program {program!r}: " + (_parameters.nearest(program, names) or "there are " + ", ".join(names)))
        specs = about["flags"] + [f for f in _binary.flags(binary, "run_flags") if _parameters.identifier(f["name"]) not in _parameters.OWN]
        with Scratch() as folder:
            flags = _parameters.arguments(f"{program}()", specs, parameters, lambda name, value: self._vertex(name, value), ["progress"])
            for name, instead in ("sources", "give a list of them as source"), ("pairs", "import the graph from a file"):
                if parameters.get(name) is not None and self._shared.index is not None:
                    raise UsageError(f"{name}: the command does not know the ids of this graph; {instead}")
            flags = _with_file(flags, about, folder)
            try:
                table = self._table(["run", program, *flags], progress, folder)
            except GaraphError as err:
                raise _queries.unknown_vertex(err, "source", self.path, folder) from None
        given = {}
        for name in _vertex_flags(about):
            value = parameters.get(_parameters.identifier(name))
            if value is not None:
                given[name] = value if self._is_one(value) else value.tolist() if isinstance(value, np.ndarray) else list(value)
        if parameters.get("sources") is None:
            table.report["parameters"].pop("sources", None)  # the file of many
        self._name_vertices(table.report, given, parameters.get("report"))
        return self._deliver(table)

    def _name_vertices(self, report: Dict[str, Any], given: Dict[str, Any], page: Any) -> None:
        """Put vertices into a report, and into its page if there is one, in place of what the command knows."""
        report["parameters"].update(given)
        if page is not None and self._shared.index is not None:
            _page.name_vertices(page, self._shared.index, given)

    def resume(self, job: Optional[int] = None, *, progress: Progress = None, **parameters: Any) -> R:
        """Go on with a run that was interrupted: the newest one, or the one of that
        number. Parameters are the flags of ``garaph resume``, such as threads and memory.

        Of a search for communities, the result is a dictionary of their members by vertex.
        """
        self._check_open()
        specs, kept, also = _resumed()
        for name in parameters:
            if name in kept:
                known = ", ".join([*also, *(_parameters.identifier(f["name"]) for f in specs)])
                raise TypeError(f"resume() has no parameter {name!r}: a job goes on with the program and the parameters that it began with; beside them, resume() has {known}")
        flags = _parameters.arguments("resume()", specs, parameters, lambda name, value: self._vertex(name, value), also)
        with Scratch() as folder:
            output = os.path.join(folder, "values.npy")
            said = self._ask(["resume", "--json", f"--output={output}", *flags], [] if job is None else [str(job)], progress)
            report = json.loads(said.splitlines()[0])
            if "members" in report:
                self.report = self._answers(said)
                return {v: answer["members"] for v, answer in self.report.items()}  # type: ignore[return-value]
            table = self._read(output, report)
        about = _binary.program(_binary.find(), report["program"])
        used = report["parameters"]
        known = {name: used[name] for name in _vertex_flags(about or {"flags": []}) if name in used and self._shared.index is not None}
        self._name_vertices(report, {n: [self._id(x) for x in v] if isinstance(v, list) else self._id(v) for n, v in known.items()}, parameters.get("report"))
        return self._deliver(table)

    def jobs(self) -> List[Dict[str, Any]]:
        """Return the runs over the graph, as ``garaph jobs --json`` has them."""
        self._check_open()
        return _process.run(["jobs", "--json", "--", self.path], progress=False)["jobs"]

    def _table(self, command: List[str], progress: Progress, folder: str) -> Table:
        """Run a command that writes values of vertices, and read them."""
        output = os.path.join(folder, "values.npy")
        return self._read(output, _process.run([*command, "--json", f"--output={output}", "--", self.path], progress=progress))

    def _read(self, output: str, report: Dict[str, Any]) -> Table:
        """Read the values that a command has written, which reports so."""
        shared, self.report = self._shared, report
        known = shared.index is not None or shared.dense or shared.ids is not None
        table = Table(output, report, shared.index, not known)
        if not known:
            shared.ids = table.ids
        return table

    def _deliver(self, table: Table) -> Any:
        """Return results as they are wanted."""
        if self._returns == _ARRAY:
            return table.arrays()
        if self._returns == _DICT:
            return table.dictionary(self.ids)
        import pandas

        shared = self._shared
        if shared.pandas_index is None:
            shared.pandas_index = _pandas_index(pandas, self.ids)
        return table.frame(pandas, shared.pandas_index)

    def _is_one(self, value: Any) -> bool:
        """Report whether a value is one vertex and not several, as a set may be."""
        index = self._shared.index
        return not _parameters.several(value) or index is not None and not index.ascending and index.number(value) is not None

    def _vertex(self, name: str, value: Any) -> List[str]:
        """Return vertices as the command knows them."""
        index = self._shared.index
        if index is None:
            return _parameters.plain_vertex(name, value, self._shared.names)
        numbers = []
        for x in [value] if self._is_one(value) else value:
            number = index.number(x)
            if number is None:
                raise UsageError(f"{name}: the graph has no vertex {x!r}; its {len(index):,} ids begin with {index.ids[0]!r}")
            numbers.append(str(number))
        return numbers

    # The end.

    def close(self) -> None:
        """Remove the graph if it is a temporary one; nothing can be run over it any more."""
        shared = self._shared
        shared.closed = True
        if shared.scratch is not None:
            shared.scratch.remove()

    def _check_open(self) -> None:
        if self._shared.closed:
            raise UsageError("the graph was closed")

    def __enter__(self) -> Graph[R]:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __len__(self) -> int:
        return self.num_vertices

    def __repr__(self) -> str:
        kind = ("directed" if self.directed else "undirected") + (", weighted" if self.weighted else "")
        where = "closed" if self._shared.closed else f"in {self.path}"
        return f"<garaph.Graph of {_count(self.num_vertices, 'vertex', 'vertices')} and {_count(self.num_edges, 'edge', 'edges')}, {kind}, {where}>"

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Return a program of the command that this package does not know, as a method."""
        if name.startswith("_"):
            raise AttributeError(name)
        binary = _binary.find()
        for known in (name, name.replace("_", "-")):
            about = _binary.program(binary, known)
            if about is not None:
                return _method(self, about)
        like = _parameters.nearest(name, [n for n in dir(Graph) if not n.startswith("_")])
        raise AttributeError(f"a Graph has no {name!r}, and {binary} has no such program" + (like and "; " + like))


def _count(n: int, one: str, several: str) -> str:
    return f"{n:,} {one if n == 1 else several}"


class _Shared:
    """What the views of a graph share."""

    def __init__(self) -> None:
        self.index: Optional[Index] = None  # None: the command knows the ids
        self.dense = False  # ids are 0 to n-1
        self.names = False  # the command knows the ids, which are strings
        self.ids: Optional[np.ndarray] = None
        self.pandas_index: Any = None
        self.scratch: Optional[Scratch] = None  # None: the folder is the user's
        self.closed = False


def _new(path: str, about: Dict[str, Any], returns: str) -> Graph[Any]:
    g: Graph[Any] = object.__new__(Graph)
    g.path, g.num_vertices, g.num_edges = path, about["vertices"], about["edges"]
    g.weighted, g.directed = about["weighted"], not about["symmetric"]
    g._returns, g._shared = returns, _Shared()
    g._weight = "<f8" if about.get("wide") else "<f4"
    return g


def _from(what: str, edges: _edges.Edges, returns: str, directed: bool, path: Any, progress: Progress, options: Dict[str, Any]) -> Graph[Any]:
    """Make a graph from arrays of edges."""
    if path is not None and edges.index is not None and not edges.index.can_be_saved:
        raise UsageError("a graph with a path of its own keeps ids that are integers or strings; leave out path, or relabel the vertices")
    try:
        g = _make(what, edges.arguments(), ["-"], edges, edges.index, returns, directed, path, progress, options)
    except _names.Unsent:
        return _from(what, edges.numbered(), returns, directed, path, progress, options)
    g._shared.names = edges.names
    return g


def _make(what: str, flags: List[str], inputs: List[str], edges: Optional[_edges.Edges], index: Optional[Index], returns: str, directed: bool, path: Any, progress: Progress, options: Dict[str, Any]) -> Graph[Any]:
    """Run an import."""
    specs = _binary.flags(_binary.find(), "import_flags") + _parameters.IMPORT
    if edges is not None:  # the others are of files
        own = {"parallel", "dedup", "drop-self-loops", "layout", "order", "rows", "threads", "memory", "force"}
        specs = [s for s in specs if s["name"] in own]
    specs = [s for s in specs if s["name"] != "undirected"]
    named = [p.name for p in inspect.signature(getattr(Graph, what)).parameters.values() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    more = _parameters.arguments(f"{what}()", specs, options, _parameters.plain_vertex, named)
    if not directed:
        more.append("--undirected")
    scratch = Scratch() if path is None else None
    folder = os.path.join(scratch.path, "graph") if scratch is not None else os.fspath(path)
    try:
        feed = None if edges is None else edges.chunks()
        with _ids.kept(index if path is not None else None, folder) as more_flags:
            report = _process.run(["import", "--json", *flags, *more_flags, *more, "--", *inputs, _file(folder)], feed=feed, progress=progress)
    except BaseException:
        if scratch is not None:
            scratch.remove()
        raise
    g = _new(folder, report, returns)
    g.directed = g.directed and directed
    g._shared.index, g._shared.scratch = index, scratch
    g._shared.dense = edges is not None and index is None and edges.count is not None
    return g


def _file(path: Union[str, os.PathLike[str]]) -> str:
    """Return a path that is not taken for standard input."""
    if not isinstance(path, (str, os.PathLike)):
        several = "; give several files one by one: from_file(*files)" if isinstance(path, (list, tuple)) else ""
        raise TypeError(f"expected a path, not {path!r}{several}")
    path = os.fspath(path)
    return "./-" if path == "-" else path


def _column(frame: Any, name: Any) -> np.ndarray:
    """Return a column of a frame as an array, with its missing values as objects where the array has none."""
    if name not in frame.columns:
        raise UsageError(f"there is no column {name!r} in the frame, which has {', '.join(map(repr, frame.columns))}: name those of source, target and weight")
    column = frame[name]
    if hasattr(column, "columns"):
        raise UsageError(f"there are {column.shape[1]} columns {name!r} in the frame: expected one of that name")
    return array_of(column)


def _default() -> str:
    """Return what results are where nothing says it."""
    try:
        import pandas  # noqa: F401
    except ImportError:
        return _ARRAY
    return _SERIES


def _pandas_index(pandas: Any, ids: np.ndarray) -> Any:
    if ids.dtype.kind == "O" and isinstance(ids[0], int) and set(map(type, ids)) == {int}:
        ids = of_list(ids.tolist())
    if ids.dtype.kind == "O":
        return pandas.Index(ids, dtype=None if isinstance(ids[0], str) else object, name="id", tupleize_cols=False)
    if ids.dtype.kind in "iu" and len(ids) and ids[0] == 0 and ids[-1] == len(ids) - 1 and (ids[1:] > ids[:-1]).all():
        return pandas.RangeIndex(len(ids), name="id")
    return pandas.Index(ids, name="id")


def _with_file(flags: List[str], about: Dict[str, Any], folder: str) -> List[str]:
    """Put very many sources into a file: a command line has room for some only."""
    sources = [f for f in flags if f.startswith("--source=")]
    if len(sources) <= _MANY_SOURCES or not any(f["name"] == "sources" for f in about["flags"]):
        return flags
    path = _queries.vertex_list(folder, [s.partition("=")[2] for s in sources])
    return [f for f in flags if not f.startswith("--source=")] + [f"--sources={path}"]


def _vertex_flags(about: Dict[str, Any]) -> List[str]:
    """Return the flags of a program that are vertices."""
    return [f["name"] for f in about["flags"] if f["value"] == "ID"]


def _resumed() -> Tuple[List[Dict[str, Any]], Set[str], List[str]]:
    """Return the flags of a job that goes on, the parameters that it keeps, and what else resume() has."""
    binary = _binary.find()
    specs = [f for f in _binary.flags(binary, "run_flags") if _parameters.identifier(f["name"]) not in _parameters.OWN.union(_KEPT)]
    specs += [f for f in _parameters.COMMUNITY if f["name"] == "time-limit"]
    kept = {_parameters.identifier(f["name"]) for about in _binary.programs(binary)["programs"] for f in about["flags"]}
    return specs, kept.union(_KEPT), ["job", "progress"]


def _method(graph: Graph[Any], about: Dict[str, Any]) -> Callable[..., Any]:
    """Return a program as a method, with the signature and the help that it has."""

    def method(*, progress: Progress = None, **parameters: Any) -> Any:
        return graph.run(about["name"], progress=progress, **parameters)

    kinds = inspect.Parameter
    parameters = [
        kinds(_parameters.identifier(f["name"]), kinds.KEYWORD_ONLY, default=kinds.empty if f["required"] else None) for f in about["flags"]
    ]
    parameters += [kinds("progress", kinds.KEYWORD_ONLY, default=None), kinds("options", kinds.VAR_KEYWORD)]
    method.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    method.__name__ = _parameters.identifier(about["name"])
    usage = "\n".join(f"{_parameters.identifier(f['name'])}: {f['usage']}" for f in about["flags"])
    method.__doc__ = "\n\n".join(x for x in (about["short"], about.get("long", ""), usage) if x)
    return method


_queries.Graph = Graph  # type: ignore[misc]  # for those who ask for the annotations there

"""What a graph is asked about its vertices and edges, and what is made of a part of it."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any, Dict, Generic, List, Optional, Tuple, TypeVar, Union

import numpy as np

from . import _binary, _edges, _page, _parameters, _process
from ._errors import GaraphError, NoPath, UsageError, warn
from ._index import Index, objects, of_list
from ._programs import Programs
from ._progress import Progress
from ._scratch import Scratch
from ._typing import NetworkXGraph

if TYPE_CHECKING:
    from ._graph import Graph

R = TypeVar("R")


class Queries(Programs[R], Generic[R]):
    """Questions about single vertices and edges, which the command answers without a program.

    Vertices are given and returned under the ids that the user gave them. Lists of vertices are lists, whatever the
    results of programs are.
    """

    if TYPE_CHECKING:  # what Graph has
        path: str
        weighted: bool
        _weight: str
        directed: bool
        report: Optional[Dict[str, Any]]
        _returns: str
        _shared: Any

        def _check_open(self) -> None: ...
        def _ids(self) -> np.ndarray: ...
        def _is_one(self, value: Any) -> bool: ...
        def _vertex(self, name: str, value: Any) -> List[str]: ...

    def shortest_path(self, source: Any, target: Any, weighted: bool = False, *, progress: Progress = None) -> List[Any]:
        """Return the vertices of a shortest path along edges, from source to target.

        A shortest path has the fewest edges, or with weighted=True the least total weight. Its distances are in
        :attr:`report`. Where no path leads to the target, :class:`NoPath` is raised.

        >>> from garaph import Graph
        >>> g = Graph.from_edges(["Basel", "Bern", "Basel"], ["Bern", "Brig", "Brig"], [55, 66, 200])
        >>> g.shortest_path("Basel", "Brig"), g.shortest_path("Basel", "Brig", weighted=True)
        (['Basel', 'Brig'], ['Basel', 'Bern', 'Brig'])
        """
        return [stop["id"] for stop in self._path(source, target, weighted, progress)["path"]]

    def shortest_path_length(self, source: Any, target: Any, weighted: bool = False, *, progress: Progress = None) -> float:
        """Return the number of edges of :meth:`shortest_path`, or with weighted=True its total weight."""
        return self._path(source, target, weighted, progress)["distance"]

    def _path(self, source: Any, target: Any, weighted: bool, progress: Progress) -> Dict[str, Any]:
        ends = [self._one("source", source), self._one("target", target)]
        try:
            found = json.loads(self._ask(["path", "--json", *(["--weighted"] if weighted else [])], ends, progress))
        except GaraphError as err:
            if ": no path leads from " in str(err):
                raise NoPath(f"no path leads from {source!r} to {target!r}") from None
            raise
        found["from"], found["to"] = source, target
        for stop in found["path"]:
            stop["id"] = self._id(stop["id"])
        self.report = found
        return found

    def neighbors(self, vertex: Any, along: str = "out") -> List[Any]:
        """Return the vertices to which edges lead from a vertex, each once.

        along is "out", "in" for those from which edges lead to it, or "both". In an undirected graph it makes no
        difference.
        """
        return list(dict.fromkeys(other for _, other, _ in self._incident(vertex, along)))

    def successors(self, vertex: Any) -> List[Any]:
        """Return the vertices to which edges lead from a vertex, as :meth:`neighbors` does."""
        return self.neighbors(vertex)

    def predecessors(self, vertex: Any) -> List[Any]:
        """Return the vertices from which edges lead to a vertex, as neighbors(vertex, "in") does."""
        return self.neighbors(vertex, "in")

    def edges(self, vertex: Any = None, along: str = "out", *, progress: Progress = None) -> Any:
        """Return all edges, with their weights if the graph has some; of an undirected graph each once.

        With a vertex, return those that lead out of it; with along="in" those that lead to it, or "both".

        They come as a DataFrame with the columns source, target and weight, as a dictionary of such arrays, or as a
        list of tuples, where results of programs are Series, arrays or dictionaries.

        >>> from garaph import Graph
        >>> g = Graph.from_edges([1, 1, 2], [2, 3, 3], [5, 6, 7]).as_dicts()
        >>> g.edges(), g.edges(3, along="in")
        ([(1, 2, 5.0), (1, 3, 6.0), (2, 3, 7.0)], [(1, 3, 6.0), (2, 3, 7.0)])
        """
        if vertex is None:
            source, target, weight = self._numbered_edges(progress)
            ids = self._ids()
            return self._edge_table(ids[source], ids[target], weight)
        found = self._incident(vertex, along)
        ends = [(other, vertex) if direction == "in" else (vertex, other) for direction, other, _ in found]
        weights = np.array([weight for *_, weight in found], self._weight) if self.weighted else None  # None is NaN
        return self._edge_table(_array([u for u, _ in ends]), _array([v for _, v in ends]), weights)

    def _edge_table(self, source: np.ndarray, target: np.ndarray, weight: Optional[np.ndarray]) -> Any:
        columns = {"source": source, "target": target, **({} if weight is None else {"weight": weight})}
        if self._returns == "array":
            return columns
        if self._returns == "dict":
            return list(zip(source.tolist(), target.tolist(), *([] if weight is None else [_decimal(weight)])))
        import pandas

        return pandas.DataFrame(columns)

    def to_networkx(self, *, progress: Progress = None) -> NetworkXGraph:
        """Return the graph as one of NetworkX, with the attribute weight if it has weights.

        It is a DiGraph, or a Graph if it is undirected. Where there are parallel edges, it is a MultiDiGraph or a
        MultiGraph.
        """
        import networkx

        source, target, weight = self._numbered_edges(progress)
        ids = self._ids().tolist()
        edges = [(ids[u], ids[v]) for u, v in zip(source.tolist(), target.tolist())]
        simple, several = (networkx.DiGraph, networkx.MultiDiGraph) if self.directed else (networkx.Graph, networkx.MultiGraph)
        for kind in (simple, several):
            graph = kind()
            graph.add_nodes_from(ids)
            if weight is None:
                graph.add_edges_from(edges)
            else:
                graph.add_weighted_edges_from((u, v, w) for (u, v), w in zip(edges, _decimal(weight)))
            if graph.number_of_edges() == len(edges):
                break
        return graph

    def subgraph(
        self, ids: Any, *, path: Union[str, os.PathLike[str], None] = None, force: bool = False, progress: Progress = None,
    ) -> Graph[R]:  # fmt: skip
        """Return a new graph of some vertices and of all edges between these.

        Vertices keep their ids and edges their weights; vertices that have no edges in it stay. ids is a list, an
        array or an index of ids: ``ranks.nlargest(100).index``. path and force are those of :meth:`Graph.from_edges`.
        """
        chosen = [ids] if self._is_one(ids) else list(ids)
        with Scratch() as folder:
            return self._part("ids", [f"--ids={vertex_list(folder, self._vertex('ids', chosen))}"], folder, path, force, progress)

    def ego_graph(
        self, vertex: Any, radius: int = 1, along: str = "both", *,
        path: Union[str, os.PathLike[str], None] = None, force: bool = False, progress: Progress = None,
    ) -> Graph[R]:  # fmt: skip
        """Return a new graph of the vertices that are at most radius edges away from a vertex, or from the nearest
        of several, and of all edges between these.

        Hops lead along edges with along="out", against them with "in", or either way. path and force are those of
        :meth:`Graph.from_edges`.
        """
        if isinstance(radius, bool) or not isinstance(radius, (int, np.integer)) or radius < 0:
            raise UsageError(f"radius: expected a whole number of edges, 0 or more, not {radius!r}")
        flags = [f"--hops={radius}", f"--along={_direction(along)}"]
        with Scratch() as folder:
            return self._part("vertex", [f"--sources={vertex_list(folder, self._vertex('vertex', vertex))}", *flags], folder, path, force, progress)

    def _part(self, name: str, flags: List[str], folder: str, path: Any, force: bool, progress: Progress) -> Graph[R]:
        """Make a graph of a part of this one. One whose ids only Python knows goes through Python."""
        from . import _graph

        index = self._shared.index
        scratch = Scratch() if path is None and index is None else None
        place = os.path.join(folder, "part") if index is not None else os.path.join(scratch.path, "graph") if scratch is not None else os.fspath(path)
        flags = [*flags, "--json", f"--output={place}", *(["--force"] if force and index is None else [])]
        try:
            report = json.loads(self._ask(["subgraph", *flags], [], progress, folder, name))
        except BaseException:
            if scratch is not None:
                scratch.remove()
            raise
        part = _graph._new(place, report, self._returns)
        part.directed = self.directed
        if index is None:
            part._shared.scratch, part._shared.names = scratch, self._shared.names
            return part
        numbers = part._ids()
        source, target, weight = part._numbered_edges(False)
        edges = _edges.Edges(source, target, weight, Index(index.ids[numbers], index.ascending))
        return _graph._from("from_edges", edges, self._returns, self.directed, path, progress, {"force": force})

    def community(
        self, vertex: Any, max_size: int, min_size: int = 1, *, time_limit: Any = None, progress: Progress = None, **options: Any,
    ) -> Any:  # fmt: skip
        """Return a group of vertices around a vertex in which each has many neighbours.

        Of all connected subgraphs with the vertex and min_size to max_size vertices, it is one whose minimum degree
        is the largest. The list is empty if there is none of that size. The search is exact and may take long: with
        time_limit, in seconds, the best so far is returned, with a warning. :attr:`report` has min_degree and proven.

        If vertex is a list, the result is a dictionary of such lists, and the report one of their reports.
        options are threads, memory, device, gpu, gpu_memory and report.

        >>> from garaph import Graph
        >>> g = Graph.from_edges(["ann", "ann", "bob", "cid"], ["bob", "cid", "cid", "dan"], directed=False)
        >>> g.community("ann", max_size=3)
        ['ann', 'bob', 'cid']
        """
        given = {"min_size": min_size, "max_size": max_size, "time_limit": time_limit, **options}
        flags = _parameters.arguments("community()", _parameters.COMMUNITY, given, self._vertex, ["vertex", "progress"])
        queries = self._vertex("vertex", vertex)
        many = not self._is_one(vertex)
        with Scratch() as folder:
            query = f"--queries={vertex_list(folder, queries)}" if many else f"--query={queries[0]}"
            answers = self._answers(self._ask(["community", "--json", query, *flags], [], progress, folder))
        if options.get("report") is not None and self._shared.index is not None:
            _page.name_vertices(options["report"], self._shared.index, {})
        self.report = answers if many else next(iter(answers.values()))
        members = {v: answer["members"] for v, answer in answers.items()}
        return members if many else next(iter(members.values()))

    def _incident(self, vertex: Any, along: str) -> List[Tuple[str, Any, Optional[float]]]:
        """Return direction, other end and weight of each edge of a vertex."""
        found = json.loads(self._ask(["neighbors", "--json", f"--along={_direction(along)}"], [self._one("vertex", vertex)]))
        return [(d["direction"], self._id(e["id"]), e.get("weight")) for d in found["directions"] for e in d["edges"]]

    def _answers(self, output: bytes) -> Dict[Any, Dict[str, Any]]:
        """Return the answers of a community search by their query vertices."""
        answers = {}
        for line in output.splitlines():
            answer = json.loads(line)
            answer["query"] = self._id(answer["query"])
            answer["members"] = [self._id(v) for v in answer["members"]]
            answers[answer["query"]] = answer
        late = [v for v, answer in answers.items() if not answer["proven"]]
        if late:
            others = "" if len(late) <= 3 else f" and {len(late) - 3} others"
            warn("time_limit ended the search before it was proven that no community is better, for " + ", ".join(map(repr, late[:3])) + others)
        return answers

    def _numbered_edges(self, progress: Progress) -> Tuple[np.ndarray, np.ndarray, Optional[np.ndarray]]:
        """Return the edges as places of their ends in the ids, and weights, if there are some."""
        fields = [("source", "<u4"), ("target", "<u4"), *([("weight", self._weight)] if self.weighted else [])]
        with Scratch() as folder:
            file = os.path.join(folder, "edges")
            form = "raw" if not self.weighted else "raww64" if self._weight == "<f8" else "raww"
            command = ["export", "--json", f"--format={form}", f"--output={file}"]
            report = json.loads(self._ask(command, [], progress, quiet=True))  # of warnings that ids are not in the file
            rows = np.fromfile(file, fields)
        source, target = rows["source"], rows["target"]
        shared = self._shared
        if not (report["renumbered"] or shared.index is not None or shared.dense):  # they are ids
            ids = self._ids()
            source, target = np.searchsorted(ids, source), np.searchsorted(ids, target)
        return source, target, rows["weight"] if self.weighted else None

    def _ask(self, command: List[str], operands: List[str], progress: Progress = False, folder: str = "", name: str = "vertex", quiet: bool = False) -> bytes:
        """Run a command over the graph, and return what it prints. The parameter of a name has the vertices in the folder."""
        self._check_open()
        try:
            return _process.Run(_binary.find(), [*command, "--", self.path, *operands], None, progress).output(quiet)
        except GaraphError as err:
            raise unknown_vertex(err, name, self.path, folder) from None

    def _one(self, name: str, value: Any) -> str:
        """Return a vertex as the command knows it."""
        vertices = self._vertex(name, value)
        if len(vertices) != 1:
            raise UsageError(f"{name}: expected one vertex, not {value!r}")
        return vertices[0]

    def _id(self, known: Any) -> Any:
        """Return the id of a vertex as the command knows it."""
        index = self._shared.index
        return known if index is None else index.ids[int(known) : int(known) + 1].tolist()[0]


def _direction(along: str) -> str:
    if along not in ("in", "out", "both"):
        raise UsageError(f"along: expected 'in', 'out' or 'both', not {along!r}")
    return along


def _decimal(weight: np.ndarray) -> List[float]:
    """Return weights as numbers of as few digits as tell them apart: 0.1 for one of 32 bits, not 0.10000000149."""
    return weight.astype(str).astype(np.float64).tolist()


def _array(ids: List[Any]) -> np.ndarray:
    """Return ids as an array, each as it is."""
    return of_list(ids) if all(isinstance(x, (int, str, bytes)) for x in ids) else objects(ids)


def vertex_list(folder: str, vertices: List[str]) -> str:
    """Write a list of vertices, and return its path."""
    path = os.path.join(folder, "vertices")
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as f:
        f.writelines('"' + v.replace('"', '""') + '"\n' for v in vertices)
    return path


def unknown_vertex(err: GaraphError, name: str, path: str, folder: str) -> GaraphError:
    """Return an error as one of usage, without paths that are nothing to the user, if it is that the graph has no
    vertex of an id that a parameter names.
    """
    text, missing = str(err), f"graph {path} has no vertex"
    if missing not in text:
        return err
    ours = "^(?:[a-z]+: )?" + re.escape(os.path.join(folder, "vertices")) + ":[0-9]+: "
    return UsageError(re.sub(ours, name + ": ", text).replace(missing, "the graph has no vertex"))

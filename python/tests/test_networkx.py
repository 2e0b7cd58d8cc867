"""Results compared with those of NetworkX, from every kind of input."""

import os
import unittest
import warnings

import numpy as np

import garaph
from garaph import Graph

from .common import need

try:
    import networkx as nx
except ImportError:
    nx = None


def weigh(graph, seed=1):
    """Give edges weights that 32 bits have exactly."""
    random = np.random.default_rng(seed)
    for *_, data in graph.edges(data=True):
        data["weight"] = int(random.integers(1, 64)) / 8
    return graph


def graphs(some=0):
    """Yield small graphs by name; of a long list the third that some says, but in long tests all."""
    for i, (title, graph) in enumerate(all_graphs()):
        if some is None or i % 3 == some or os.environ.get("GARAPH_TEST_LONG"):
            yield title, graph


def all_graphs():
    """Yield each kind of graph that NetworkX has, and every shape that is odd."""
    yield "single vertex", nx.empty_graph(1)
    yield "no edges", nx.empty_graph(5)
    yield "undirected", nx.karate_club_graph()
    yield "directed, weighted", weigh(nx.gnp_random_graph(40, 0.08, seed=2, directed=True))
    isolated = weigh(nx.gnp_random_graph(30, 0.05, seed=3))
    isolated.add_nodes_from([100, 2**40])
    yield "undirected, weighted, isolated vertices, large ids", isolated
    yield "strings", weigh(nx.relabel_nodes(nx.gnp_random_graph(20, 0.15, seed=4, directed=True), lambda v: f"Ort {v} é"))
    yield "tuples", nx.grid_2d_graph(4, 5)
    several = nx.MultiDiGraph([(1, 2), (1, 2), (2, 3), (3, 3), (4, 1), (1, 4), (5, 6)])
    yield "parallel edges and a loop", weigh(several)
    yield "some weights", nx.Graph([("a", "b", {"weight": 2}), ("b", "c", {}), ("d", "d", {"weight": 3})])


@need("networkx", "scipy")
class NetworkXTest(unittest.TestCase):
    def test_empty_name(self):
        with self.assertRaisesRegex(garaph.UsageError, "^a node has an empty name, which is no id: networkx.relabel_nodes gives it another$"):
            Graph.from_networkx(nx.DiGraph([("a", "")]))

    def compare(self, g, graph, name=lambda v: v):
        """Compare a Graph with dictionaries as results; name is the id there of a node."""
        with self.subTest("components"):
            parts = {}
            for v, component in g.components().items():
                parts.setdefault(component, set()).add(v)
            want = [{name(v) for v in part} for part in nx.connected_components(graph.to_undirected())]
            self.assertEqual(sorted(map(sorted_text, parts.values())), sorted(map(sorted_text, want)))
            self.assertTrue(all(c in part for c, part in parts.items()))
        with self.subTest("pagerank"):
            weighted = g.weighted
            got = g.pagerank(precision=64, tolerance=1e-12, iterations=1000, weighted=weighted)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # NetworkX 2.8 has such for itself
                want = nx.pagerank(graph, tol=1e-14, max_iter=2000, weight="weight" if weighted else None)
            self.assertEqual(set(got), {name(v) for v in graph})
            for v in graph:
                self.assertAlmostEqual(got[name(v)], want[v], delta=1e-10)
        source = min(graph, key=str)
        with self.subTest("bfs"):
            want = nx.single_source_shortest_path_length(graph, source)
            self.assertEqual(g.bfs(source=name(source)), {name(v): want.get(v) for v in graph})
        with self.subTest("sssp"):
            want = nx.single_source_dijkstra_path_length(graph, source, weight="weight" if g.weighted else None)
            self.assertEqual(g.run("sssp", source=name(source)), {name(v): want.get(v) for v in graph})

    def test_networkx(self):
        for title, graph in graphs(None):
            with self.subTest(title), Graph.from_networkx(graph) as g:
                self.assertEqual(g.weighted, bool(nx.get_edge_attributes(graph, "weight")) and graph.number_of_edges() > 0)
                self.assertEqual((g.directed, g.num_vertices, list(g.ids)), (graph.is_directed(), len(graph), list(graph)))
                self.compare(g, graph)

    def test_other_weights(self):
        graph = nx.DiGraph([(1, 2, {"minutes": 5}), (2, 3, {"minutes": 7}), (1, 3, {"minutes": 13})])
        self.assertEqual(Graph.from_networkx(graph, "minutes").sssp(source=1), {1: 0, 2: 5, 3: 12})
        self.assertEqual(Graph.from_networkx(graph).sssp(source=1), {1: 0, 2: 1, 3: 1})
        graph.add_edge(3, 1, minutes=-1)
        with self.assertRaisesRegex(ValueError, "weight: edge 3 has -1"):
            Graph.from_networkx(graph, "minutes")

    def test_no_weight(self):
        graph = nx.Graph([("a", "b", {"weight": None})])
        for _ in range(2):  # beside an edge with a weight, too
            with self.assertRaisesRegex(ValueError, r"weight: entry 0 is missing \(None\)"):
                Graph.from_networkx(graph)
            graph.add_edge("b", "c", weight=2)

    @need("pandas")
    def test_index(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for nodes, kind in (((3, 1, 7), "i"), ((3, -1, 7), "i"), (("b", "a", "c"), "O"), (((0, 1), (1, 1), (0, 0)), "O"), ((0.5, 1.5, 2.5), "O")):
                graph = Graph.from_networkx(nx.Graph([nodes[:2], nodes[1:]]))
                hops = graph.as_series().bfs(source=nodes[0])
                self.assertEqual((hops.index.dtype.kind, hops.index.tolist(), hops.tolist()), (kind, list(nodes), [0, 1, 2]))

    @need("pandas")
    def test_pandas(self):
        for title, graph in graphs(0):
            if graph.number_of_edges() == 0 or title == "tuples":
                continue
            with self.subTest(title):
                frame = nx.to_pandas_edgelist(graph)
                weight = None
                if "weight" in frame:
                    frame["weight"], weight = frame["weight"].fillna(1), "weight"
                g = Graph.from_pandas(frame, weight=weight, directed=graph.is_directed(), vertices=list(graph))
                self.assertEqual(list(g.ids), sorted(graph))
                self.compare(g.as_dicts(), graph)

    def test_scipy(self):
        for title, graph in graphs(2):
            if graph.number_of_edges() == 0 or graph.is_multigraph() or title == "some weights":
                continue
            with self.subTest(title):
                matrix = nx.to_scipy_sparse_array(graph, weight="weight")
                numbers = {v: i for i, v in enumerate(graph)}
                g = Graph.from_scipy(matrix, directed=graph.is_directed())
                self.compare(g.as_dicts(), graph, numbers.get)

    def test_coreness(self):
        graph = nx.karate_club_graph()
        self.assertEqual(Graph.from_networkx(graph).coreness(), nx.core_number(graph))

    def test_sets(self):
        """A node that is itself a collection is one source."""
        a, b = frozenset([1]), frozenset([2])
        g = Graph.from_networkx(nx.Graph([(a, b)]))
        self.assertEqual(g.bfs(source=a), {a: 0, b: 1})
        self.assertEqual(g.bfs(source=[a, b]), {a: 0, b: 0})

    def test_no_graph(self):
        with self.assertRaisesRegex(TypeError, "expected a graph of NetworkX, not list"):
            Graph.from_networkx([(1, 2)])

    def test_no_nodes(self):
        with self.assertRaisesRegex(garaph.UsageError, "no node"):
            Graph.from_networkx(nx.Graph())


def sorted_text(part):
    return sorted(map(str, part))

"""Questions about vertices and edges, and graphs of parts, compared with NetworkX, for every kind of ids."""

import json
import os
import signal
import tempfile
import unittest
import warnings

import numpy as np

import garaph
from garaph import Graph

from .common import LONG, need
from .test_networkx import nx, weigh

TRAINS = [("Basel", "Bern", 55), ("Bern", "Zürich", 57), ("Basel", "Zürich", 53), ("Bern", "Brig", 66), ("Brig", "Milano", 130), ("Lugano", "Milano", 75)]


def trains(**options):
    return Graph.from_edges(*zip(*TRAINS), **options)


@need("networkx")
class CompareTest(unittest.TestCase):
    def graphs(self):
        """Yield graphs of each kind of ids: those that the command knows, as numbers and as text, and those of Python."""
        directed = weigh(nx.gnp_random_graph(25, 0.12, seed=2, directed=True))
        yield "integers from 0 on", directed, Graph.from_networkx(directed)
        for title, name in (("integers", lambda v: 2**40 + 7 * v), ("small integers", lambda v: 100 - v), ("strings", lambda v: f'Ort "{v}", é')):
            named = nx.relabel_nodes(directed, name)
            yield title, named, self.of_edges(named)
        named = nx.relabel_nodes(directed, lambda v: f"#{v}")
        with tempfile.TemporaryDirectory() as folder:
            yield "strings in the graph", named, self.of_edges(named, path=os.path.join(folder, "g"))
        undirected = weigh(nx.relabel_nodes(nx.gnp_random_graph(25, 0.12, seed=3), lambda v: (v // 5, v % 5)))
        undirected.add_node("alone")
        yield "tuples, undirected", undirected, Graph.from_networkx(undirected)
        undirected = nx.relabel_nodes(nx.karate_club_graph(), lambda v: f"m{v}")
        yield "strings, undirected", undirected, self.of_edges(undirected)

    @staticmethod
    def of_edges(graph, **options):
        rows = [(u, v, d.get("weight", 1)) for u, v, d in graph.edges(data=True)]
        return Graph.from_edges(*zip(*rows), vertices=list(graph) if "path" not in options else None, directed=graph.is_directed(), **options).as_dicts()

    def test_all(self):
        for i, (title, graph, g) in enumerate(self.graphs()):
            if not LONG and i not in (4, 5):
                continue
            nodes = list(graph)
            if len(nodes) != g.num_vertices:  # some are in no edge
                graph = graph.subgraph(list(g.ids)).copy()
                nodes = list(graph)
            with self.subTest(title):
                self.compare(graph, nodes, g)

    def compare(self, graph, nodes, g):
        for v in nodes[: 10 if LONG else 3]:
            self.assertEqual(sorted(g.neighbors(v), key=str), sorted(graph.neighbors(v), key=str))
            before = graph.predecessors(v) if graph.is_directed() else graph.neighbors(v)
            self.assertEqual(sorted(g.predecessors(v), key=str), sorted(before, key=str))
            self.assertEqual(sorted(g.edges(v), key=str), sorted(((u, w, d["weight"]) for u, w, d in graph.edges(v, data=True)), key=str))
            self.paths(graph, g, nodes[0], v)
        self.assertEqual(g.degrees(), {v: d for v, d in graph.degree()})
        self.same(g.to_networkx(), graph)
        chosen = nodes[::3] + nodes[-1:]
        part = g.subgraph(chosen)
        self.same(part.to_networkx(), graph.subgraph(chosen))
        self.assertEqual(set(part.ids.tolist()), set(chosen))
        hops = nx.single_source_shortest_path_length(graph.subgraph(chosen), chosen[0])
        self.assertEqual(part.bfs(source=chosen[0]), {v: hops.get(v) for v in chosen})
        near = g.ego_graph(nodes[1], radius=2)
        self.same(near.to_networkx(), nx.ego_graph(graph, nodes[1], radius=2, undirected=True))
        self.same(near.ego_graph([nodes[1]], 1, "out").to_networkx(), nx.ego_graph(graph, nodes[1]))

    def paths(self, graph, g, u, v):
        for weight in (None, "weight"):
            if not nx.has_path(graph, u, v):
                with self.assertRaisesRegex(garaph.NoPath, "^no path leads from .* to "):
                    g.shortest_path(u, v, weighted=weight is not None)
                continue
            length = nx.shortest_path_length(graph, u, v, weight=weight)
            path = g.shortest_path(u, v, weighted=weight is not None)
            self.assertEqual((path[0], path[-1], nx.path_weight(graph, path, weight) if weight else len(path) - 1), (u, v, length))
            self.assertEqual((g.report["from"], g.report["to"], [s["id"] for s in g.report["path"]], g.report["distance"]), (u, v, path, length))

    def same(self, got, want):
        self.assertEqual((got.is_directed(), set(got)), (want.is_directed(), set(want)))
        self.assertEqual(got.number_of_edges(), want.number_of_edges())
        for u, v, data in want.edges(data=True):
            self.assertEqual(got[u][v]["weight"], data["weight"])

    def test_weights(self):
        """Weights have 32 bits, and come back as they were."""
        graph = nx.Graph([("a", "b", {"weight": 0.1}), ("b", "c", {"weight": 121.73})])
        g = Graph.from_networkx(graph)
        self.same(g.to_networkx(), graph)
        self.assertEqual(g.edges("c"), [("c", "b", 121.73)])

    def test_parallel_edges(self):
        graph = Graph.from_edges([1, 1, 2, 2], [2, 2, 1, 2]).to_networkx()
        self.assertEqual((type(graph), sorted(graph.edges())), (nx.MultiDiGraph, [(1, 2), (1, 2), (2, 1), (2, 2)]))
        graph = Graph.from_edges([1, 2, 1], [2, 1, 1], directed=False).to_networkx()
        self.assertEqual((type(graph), graph.number_of_edges(1, 2), graph.number_of_edges()), (nx.MultiGraph, 2, 3))


class QueriesTest(unittest.TestCase):
    def test_edges(self):
        g = trains()
        columns = g.edges()
        self.assertEqual(list(columns), ["source", "target", "weight"])
        self.assertEqual(sorted(zip(*(c.tolist() for c in columns.values()))), sorted(TRAINS))
        large = Graph.from_edges([3, -5], [2**40, 3])
        self.assertEqual((list(large.edges()), sorted(large.as_dicts().edges())), (["source", "target"], [(-5, 3), (3, 2**40)]))
        self.assertEqual((large.neighbors(3), large.shortest_path(-5, 2**40), large.subgraph([3, -5]).as_dicts().edges()), ([2**40], [-5, 3, 2**40], [(-5, 3)]))
        self.assertEqual(g.edges("Lugano", along="in")["source"].tolist(), [])
        self.assertEqual(g.as_dicts().edges("Bern", along="both"), [("Basel", "Bern", 55), ("Bern", "Brig", 66), ("Bern", "Zürich", 57)])
        exact = Graph.from_edges([1, 1, 2], [2, 3, 3], [2**24 + 3, 2**24 + 5, 2**40 + 1]).as_dicts()
        self.assertEqual(sorted(exact.edges()), [(1, 2, 2**24 + 3), (1, 3, 2**24 + 5), (2, 3, 2**40 + 1)])
        self.assertEqual(exact.edges(3, along="in"), [(1, 3, 2**24 + 5), (2, 3, 2**40 + 1)])
        self.assertEqual(exact.subgraph([2, 3]).edges(), [(2, 3, 2**40 + 1)])
        self.assertEqual(exact.to_networkx()[2][3]["weight"], 2**40 + 1)
        loops = Graph.from_edges([5, 5], [5, 6], directed=False).as_dicts()
        self.assertEqual((sorted(loops.edges()), loops.neighbors(5)), ([(5, 5), (5, 6)], [5, 6]))

    @need("pandas")
    def test_frame(self):
        frame = trains().as_series().edges()
        self.assertEqual((list(frame.columns), len(frame), frame["weight"].sum()), (["source", "target", "weight"], 6, 436))
        found = trains().as_series().edges("Bern")
        self.assertEqual(found.values.tolist(), [["Bern", "Brig", 66], ["Bern", "Zürich", 57]])

    def test_length(self):
        g = trains()
        self.assertEqual((g.shortest_path_length("Basel", "Brig"), g.shortest_path_length("Basel", "Brig", weighted=True)), (2, 121))

    def test_degrees(self):
        g = trains().as_dicts()
        self.assertEqual(g.degrees(along="in")["Zürich"], 2)
        self.assertEqual(g.degrees(along="out")["Zürich"], 0)
        self.assertEqual(g.degrees()["Bern"], 3)

    def test_parts_stay(self):
        with tempfile.TemporaryDirectory() as folder:
            for i, g in enumerate((trains(path=os.path.join(folder, "g")), trains(vertices=["Basel", "Bern", "Brig", "Zürich", "Milano", "Lugano", "Ulm"]))):
                path = os.path.join(folder, str(i))
                g.subgraph(["Basel", "Bern", "Lugano"], path=path)
                with self.assertRaisesRegex(garaph.GaraphError, "force=True.? replaces it"):
                    g.subgraph(["Basel"], path=path)
                again = Graph.open(path).as_dicts()
                self.assertEqual(again.sssp(source="Basel"), {"Basel": 0, "Bern": 55, "Lugano": None})
                g.ego_graph("Brig", path=path, force=True)
                self.assertEqual(sorted(Graph.open(path).ids), ["Bern", "Brig", "Milano"])

    def test_part_of_a_part(self):
        """The results of a part are of the kind of those of the graph, and a temporary part goes with it."""
        with trains(vertices=["Basel", "Bern", "Brig", "Zürich", "Milano", "Lugano"]).subgraph(["Basel", "Bern", "Brig"]) as part:
            one = part.subgraph("Bern")
            self.assertIsInstance(one.pagerank(), np.ndarray)
            self.assertEqual((one.ids.tolist(), one.num_edges, one.weighted), (["Bern"], 0, True))
            path = part.path
        self.assertFalse(os.path.exists(path))

    def test_community(self):
        pairs = [("ann", "bob"), ("ann", "cid"), ("ann", "dan"), ("bob", "cid"), ("bob", "dan"), ("cid", "dan"), ("eve", "cid"), ("eve", "dan"), ("fay", "eve")]
        for options in ({}, {"vertices": ["ann", "bob", "cid", "dan", "eve", "fay", "gus"]}):
            g = Graph.from_edges(*zip(*pairs), **options)
            self.assertEqual(g.community("ann", max_size=5, min_size=3), ["ann", "bob", "cid", "dan"])
            self.assertEqual((g.report["query"], g.report["min_degree"], g.report["proven"], g.report["members"][3]), ("ann", 3, True, "dan"))
            self.assertEqual(g.community(["ann", "fay"], 2, min_size=2), {"ann": g.report["ann"]["members"], "fay": ["eve", "fay"]})
            self.assertEqual(g.community("ann", min_size=50, max_size=60), [])
            with self.assertRaisesRegex(garaph.UsageError, "zoe"):
                g.community("zoe", 5)
            with self.assertRaisesRegex(garaph.UsageError, "zoe"):
                g.community(["ann", "zoe"], 5)

    def test_late_community(self):
        n = 400
        random = np.random.default_rng(1)
        g = Graph.from_edges(random.integers(n, size=8000), random.integers(n, size=8000), vertices=n)
        with self.assertWarnsRegex(garaph.GaraphWarning, "time_limit ended the search"):
            members = g.community(0, min_size=15, max_size=40, time_limit=0.05)
        self.assertIn(0, members)
        self.assertFalse(g.report["proven"])

    def test_resumed_community(self):
        n = 400
        random = np.random.default_rng(1)
        g = Graph.from_edges(random.integers(n, size=8000), random.integers(n, size=8000), vertices=n)
        with self.assertRaisesRegex(garaph.Interrupted, "goes on$"):
            g.community(0, min_size=15, max_size=40, progress=lambda u: signal.raise_signal(signal.SIGINT))
        with self.assertWarns(garaph.GaraphWarning):
            found = g.resume(time_limit=0.05)
        self.assertEqual((list(found), 0 in found[0]), ([0], True))

    def test_report(self):
        """The report has vertices as they were given, also where the command knows others, or many in a file."""
        for g in (trains(), trains(path=None, vertices=["Basel", "Bern", "Brig", "Zürich", "Milano", "Lugano"])):
            g.bfs(source="Bern")
            self.assertEqual(g.report["parameters"]["source"], "Bern")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", garaph.GaraphWarning)
                g.circuit(source="Bern", ground="Brig")
            self.assertEqual((g.report["parameters"]["source"], g.report["parameters"]["ground"]), ("Bern", "Brig"))
            g.bfs(source=["Bern", "Brig"] * 1000)
            self.assertEqual((g.report["parameters"]["source"][:2], "sources" in g.report["parameters"]), (["Bern", "Brig"], False))
            json.dumps(g.report)

    def test_page(self):
        """The page of a run has vertices as they were given, in text that cannot end its script."""

        def tables(path):
            with open(path, encoding="utf-8") as f:
                text = f.read()
            self.assertEqual(text.count("</script>"), 2)
            page, _ = json.JSONDecoder().raw_decode(text.partition("const page = ")[2])
            return page["Sections"]

        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "page.html")
            g = Graph.from_edges(["a", "a", "</script>"], ["</script>", "Zürich", "Zürich"])
            g.bfs(source="a", report=page)
            sections = tables(page)
            self.assertEqual(sections[1]["Table"]["Rows"], [["1", "a", "0"], ["2", "</script>", "1"], ["3", "Zürich", "1"]])
            self.assertEqual(sections[1]["Table"]["Columns"][2], "hops (nearest first, of those reached)")
            self.assertIn(", source a, ", dict(sections[0]["Facts"])["Parameters"])
            g.components(report=page)
            self.assertEqual(tables(page)[1]["Table"]["Rows"], [["1", "</script>", "3"]])
            g.community("Zürich", 3, report=page)
            row = tables(page)[1]["Table"]["Rows"][0]
            self.assertEqual((row[0], row[-1]), ("Zürich", "</script>, Zürich, a"))
            g.degrees(report="/dev/null")
            g = trains()
            g.degrees(report=page)
            self.assertEqual((g.report["summary"][0]["column"], g.report["summary"][0]["max"]), ("degree", 3))
            with open(page, encoding="utf-8") as f:
                self.assertIn("Distribution of degree", f.read())

    def test_wrong_use(self):
        g = trains()
        names = trains(vertices=["Basel", "Bern", "Brig", "Zürich", "Milano", "Lugano"])
        for call, error, text in [
            (lambda: g.shortest_path("Lugano", "Basel"), garaph.NoPath, "^no path leads from 'Lugano' to 'Basel'$"),
            (lambda: g.shortest_path("Ulm", "Basel"), garaph.UsageError, "the graph has no vertex .Ulm"),
            (lambda: names.shortest_path("Ulm", "Basel"), garaph.UsageError, "^source: the graph has no vertex 'Ulm'"),
            (lambda: g.shortest_path(["Bern", "Brig"], "Basel"), garaph.UsageError, "^source: expected one vertex, not "),
            (lambda: g.neighbors("Bern", "up"), garaph.UsageError, "^along: expected 'in', 'out' or 'both', not 'up'$"),
            (lambda: g.neighbors("Ulm"), garaph.UsageError, "the graph has no vertex .Ulm"),
            (lambda: g.subgraph(["Bern", "Ulm"]), garaph.UsageError, "^ids: the graph has no vertex .Ulm"),
            (lambda: g.ego_graph("Ulm"), garaph.UsageError, "^vertex: the graph has no vertex .Ulm"),
            (lambda: g.ego_graph("Bern", radius=1.5), garaph.UsageError, "^radius: expected a whole number of edges, 0 or more, not 1.5$"),
            (lambda: g.community("Bern", max_size=0), ValueError, "^max_size: expected a whole number from 1 to [0-9]+, not 0$"),
            (lambda: g.community("Bern", 3, min_sise=2), TypeError, "did you mean min_size"),
        ]:
            with self.subTest(text), self.assertRaisesRegex(error, text):
                call()
        g.close()
        for call in (lambda: g.neighbors("Bern"), lambda: g.shortest_path("Bern", "Brig"), lambda: g.subgraph(["Bern"]), lambda: g.edges()):
            with self.assertRaisesRegex(ValueError, "closed"):
                call()

    def test_without_weights(self):
        g = Graph.from_edges([1, 2], [2, 3])
        with self.assertWarnsRegex(garaph.GaraphWarning, "no weights: every edge counts 1"):
            self.assertEqual(g.shortest_path_length(1, 3, weighted=True), 2)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertEqual(g.shortest_path(1, 3), [1, 2, 3])

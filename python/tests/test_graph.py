"""The life of a graph: its folder, its programs, its end."""

import gc
import inspect
import os
import signal
import subprocess
import sys
import shutil
import tempfile
import textwrap
import time
import unittest
import warnings

import numpy as np

import garaph
from garaph import Graph, _binary, _graph, _scratch
from garaph._index import Index

from .common import need

# A job that does not end by itself: a rank goes to and fro.
ENDLESS = {"iterations": 0, "tolerance": 0, "damping": 0.999999999, "precision": 64, "source": 0, "method": "pull"}

# Iterations that take longer than a tenth of a second, after which progress is reported.
LONG = 20_000


class FolderTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "web.graph")

    def test_stays(self):
        Graph.from_edges([3, 5], [5, 7], [1, 2], path=self.path)
        g = Graph.open(self.path)
        self.assertEqual((g.num_vertices, g.num_edges, g.weighted, g.directed), (3, 2, True, True))
        self.assertEqual(g.as_dicts().sssp(source=3), {3: 0, 5: 1, 7: 3})
        with self.assertRaisesRegex(garaph.GaraphError, "force=True.? replaces it"):
            Graph.from_edges([1], [2], path=self.path)
        Graph.from_edges([1], [2], path=self.path, force=True)
        self.assertEqual(list(Graph.open(self.path).ids), [1, 2])

    def test_ids_stay(self):
        for ids in (np.array(["Basel", "Zürich", "ö" * 300], object), np.array([-(2**40), 0, 2**40]), np.array([b"a", b"\xff"])):
            Graph.from_edges(ids[:1], ids[1:2], vertices=ids, path=self.path, force=True)
            g = Graph.open(self.path)
            self.assertEqual(g.ids.tolist(), sorted(ids.tolist()))
            with self.assertRaisesRegex(ValueError, "read-only"):
                g.ids[0] = ids[0]
            self.assertEqual(g.as_dicts().bfs(source=ids[0])[ids[1]], 1)
        Graph.from_edges([1], [2], path=self.path, force=True)  # which needs none
        self.assertEqual(os.listdir(os.path.dirname(self.path)), ["web.graph"])

    def test_names_stay(self):
        """Names are the graph's own, for the command too."""
        Graph.from_edges(["Basel", "Zürich"], np.array(["Zürich", "Brig"], object), path=self.path)
        self.assertNotIn("python-ids.npz", os.listdir(self.path))
        for g in (Graph.open(self.path), Graph.from_edges(["Basel", "Zürich"], ["Zürich", "Brig"], path=self.path, force=True)):
            self.assertEqual(g.as_dicts().bfs(source="Basel"), {"Basel": 0, "Brig": 2, "Zürich": 1})
            with self.assertRaisesRegex(garaph.GaraphError, 'has no vertex "Bsel"'):
                g.bfs(source="Bsel")
        with self.assertRaisesRegex(ValueError, "source: 1 is no id of a vertex: the ids of this graph are strings"):
            g.bfs(source=1)
        said = subprocess.run([_binary.find(), "run", "bfs", "-q", "--source=Basel", "--output=-", self.path], check=True, stdout=subprocess.PIPE).stdout
        self.assertIn("Zürich\t1\n", said.decode())

    def test_odd_names_stay(self):
        """Those that the command does not take stay beside the graph."""
        for name in ("a\0b", "ö" * 200, "\udc80"):
            with self.subTest(name[:3]):
                Graph.from_edges(["b", name], [name, "c"], path=self.path, force=True)
                self.assertEqual(Graph.open(self.path).as_dicts().bfs(source="b"), {"b": 0, name: 1, "c": 2})
        for ids, text in ((["a", None, "b"], "source: entry 1 is missing"), (["a", 1, "b"], "some ids are int and others str")):
            with self.assertRaisesRegex((ValueError, TypeError), text):
                Graph.from_edges(ids, ["a", "b", "c"], path=self.path, force=True)
        self.assertEqual(Graph.open(self.path).num_vertices, 3)  # the one before

    def test_ids_go_with_the_graph(self):
        """Whatever becomes of the folder, names do not become numbers."""
        moved = self.path + " moved"
        Graph.from_edges(["b", "a"], ["a", "c"], vertices=["a", "b", "c"], path=self.path, layout="csc")
        os.rename(self.path, moved)
        want = {"a": 0, "b": None, "c": 1}
        self.assertEqual(Graph.open(moved).as_dicts().bfs(source="a"), want)
        ids = os.path.join(moved, "python-ids.npz")
        with open(ids, "r+b") as f:
            f.truncate(100)
        with self.assertRaisesRegex(garaph.GaraphError, "python-ids.npz.*cannot be read.*make the graph again"):
            Graph.open(moved)
        Index(np.array(["a", "b"]), True).save(ids + "2", "word")
        os.replace(ids + "2", ids)
        with self.assertRaisesRegex(garaph.GaraphError, "2 ids for 3 vertices"):
            Graph.open(moved)
        os.unlink(ids)
        with self.assertRaisesRegex(garaph.GaraphError, "python-ids.npz is missing.*put it back, or make the graph again"):
            Graph.open(moved)

    def test_ids_of_another(self):
        """Those of a graph with as many vertices are not taken, but where older versions did not say whose they are."""
        other = self.path + "2"
        Graph.from_edges(["b", "a"], ["a", "c"], vertices=["a", "b", "c"], path=self.path)
        Graph.from_edges(["x", "x"], ["y", "z"], vertices=["x", "y", "z"], path=other)
        ids = os.path.join(self.path, "python-ids.npz")
        os.replace(os.path.join(other, "python-ids.npz"), ids)
        with self.assertRaisesRegex(garaph.GaraphError, "has the ids of another graph"):
            Graph.open(self.path)
        os.unlink(ids)
        Index(np.array(["a", "b", "c"]), True).save(ids, "")
        with self.assertRaisesRegex(garaph.GaraphError, "has the ids of another graph"):
            Graph.open(self.path)
        Graph.from_edges([0, 1], [1, 2], path=self.path, force=True)
        self.assertRaises(FileNotFoundError, os.stat, ids)
        Index(np.array(["a", "b", "c"]), True).save(ids, "")
        self.assertEqual(Graph.open(self.path).ids.tolist(), ["a", "b", "c"])

    def test_cut_off(self):
        """An import whose Python was killed before the ids were in place is known as such."""
        code = """
            import os, sys, garaph
            os.replace = lambda a, b: os.kill(os.getpid(), 9)
            garaph.Graph.from_edges(["a"], ["b"], vertices=["a", "b"], path=sys.argv[1])
        """
        process = subprocess.run([sys.executable, "-c", textwrap.dedent(code), self.path], check=False)
        self.assertEqual(process.returncode, -signal.SIGKILL)
        with self.assertRaisesRegex(garaph.GaraphError, "python-ids.npz is missing"):
            Graph.open(self.path)
        Graph.from_edges(["a"], ["b"], vertices=["a", "b"], path=self.path, force=True)
        self.assertEqual(list(Graph.open(self.path).ids), ["a", "b"])
        self.assertEqual(os.listdir(os.path.dirname(self.path)), ["web.graph"])

    def test_ids_of_another_graph(self):
        Graph.from_edges(["a"], ["b"], vertices=["a", "b"], path=self.path)
        subprocess.run([_binary.find(), "import", "--force", "-q", "-", self.path], input=b"x y\nx z\n", check=True)
        self.assertEqual(list(Graph.open(self.path).ids), ["x", "y", "z"])

    def test_ids_that_cannot_stay(self):
        with self.assertRaisesRegex(ValueError, "leave out path"):
            ids = np.empty(1, object)
            ids[0] = (1, 2)
            Graph.from_edges(ids, ids, path=self.path)

    def test_temporary(self):
        g = Graph.from_edges([1], [2])
        folder = os.path.dirname(g.path)
        with Graph.from_edges([1], [2]) as other:
            self.assertTrue(os.path.exists(other.path))
        self.assertFalse(os.path.exists(other.path))
        for use in (lambda: other.pagerank(), lambda: other.ids):
            with self.assertRaisesRegex(ValueError, "closed"):
                use()
        self.assertRegex(repr(other), "^<garaph.Graph of 2 vertices and 1 edge, directed, closed>$")
        view = g.as_dicts()
        del g
        gc.collect()
        self.assertEqual(len(view.pagerank()), 2)
        del view
        gc.collect()
        self.assertFalse(os.path.exists(folder))

    def test_killed(self):
        """The folder of a process that was killed goes with the next temporary graph."""
        code = "import os, signal, garaph\ng = garaph.Graph.from_edges([1], [2])\nprint(g.path, flush=True)\nos.kill(os.getpid(), signal.SIGKILL)"
        path = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=False).stdout.decode().strip()
        self.assertTrue(os.path.exists(path))
        mine = Graph.from_edges([1], [2])
        self.assertFalse(os.path.exists(os.path.dirname(path)))
        _scratch.remove_killed(tempfile.gettempdir())
        self.assertTrue(os.path.exists(mine.path))

    def test_killed_while_it_runs(self):
        """So does that for the values of a run."""
        code = f"""
            import garaph, os, signal, sys
            g = garaph.Graph.open(sys.argv[1])
            g.pagerank(progress=lambda update: os.kill(os.getpid(), signal.SIGKILL), **{ENDLESS!r})
        """
        with tempfile.TemporaryDirectory() as folder:
            Graph.from_edges([0, 1, 2], [1, 0, 0], path=self.path)
            environment = {**os.environ, "TMPDIR": folder}
            process = subprocess.run([sys.executable, "-c", textwrap.dedent(code), self.path], env=environment, check=False)
            self.assertEqual((process.returncode, len(os.listdir(folder))), (-signal.SIGKILL, 1))
            subprocess.run([sys.executable, "-c", "import sys, garaph; garaph.Graph.open(sys.argv[1]).bfs(source=0)", self.path], env=environment, check=True)
            self.assertEqual(os.listdir(folder), [])
            for _ in range(600):  # until the job, which writes its state, is at its end
                if "running" not in [job["state"] for job in Graph.open(self.path).jobs()]:
                    break
                time.sleep(0.1)

    def test_failed_import(self):
        before = set(os.listdir(tempfile.gettempdir()))
        with self.assertRaises(garaph.GaraphError):
            Graph.from_file("/nonexistent")
        left = {f for f in set(os.listdir(tempfile.gettempdir())) - before if f.startswith("garaph-job-")}
        self.assertEqual(left, set())


class ProgramsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.g = Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3])

    def test_every_program(self):
        """Each program of the command is a method with its parameters, and runs."""
        pairs = os.path.join(tempfile.mkdtemp(), "pairs.txt")
        self.addCleanup(shutil.rmtree, os.path.dirname(pairs))
        with open(pairs, "w") as f:
            f.write("0 1\n3 2\n")
        needs = {"source": 0, "ground": 3, "k": 1, "pairs": pairs}
        rows = {"forest": 3, "similarity": 2, "sample": 2, "closeness": 1, "walks": 1}
        for about in _binary.programs(_binary.find())["programs"]:
            with self.subTest(about["name"]):
                method = getattr(self.g, about["name"])
                parameters = inspect.signature(method).parameters
                self.assertEqual([p for p in parameters if p not in ("progress", "options")], [f["name"].replace("-", "_") for f in about["flags"]])
                self.assertIn(about["short"].split()[1], method.__doc__)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", garaph.GaraphWarning)
                    values = method(**{p: needs[p] for p in parameters if p in needs})
                for column in values.values() if isinstance(values, dict) else [values]:
                    self.assertEqual(len(column), rows.get(about["name"], 4))
                self.assertEqual(self.g.report["program"], about["name"])

    def test_parameters(self):
        self.assertEqual(inspect.signature(Graph.pagerank).parameters["damping"].default, 0.85)
        self.g.pagerank(iterations=7)
        self.assertEqual(self.g.report["iterations"], 7)  # without a tolerance, as with the command
        self.g.pagerank(memory="512MiB", threads=1, mode="async")
        self.assertEqual(self.g.report["parameters"]["memory"], 512 << 20)
        few, many = self.g.bfs(source=[0, 3]), self.g.bfs(source=[0] * 2000 + [3])
        self.assertEqual((few.tolist(), many.tolist()), ([0, 1, 2, 0], [0, 1, 2, 0]))

    def test_columns(self):
        """A program with several columns, of numbers and of vertices, with nulls in both."""
        g = Graph.from_edges(["Basel", "Bern", "Olten"], ["Bern", "Brig", "Basel"], [55, 66, 26])
        found = g.sssp(source="Bern", parents=True)
        distance, parent = found
        self.assertEqual(distance, "distance")
        np.testing.assert_array_equal(found[distance], [np.nan, 0, 66, np.nan])
        self.assertEqual(found[parent].tolist(), [None, None, "Bern", None])
        self.assertEqual(g.as_dicts().sssp(source="Bern", parents=True)["Brig"], {distance: 66, parent: "Bern"})

    def test_rows(self):
        """A result whose rows are edges."""
        g = Graph.from_edges(["Basel", "Bern", "Olten"], ["Bern", "Olten", "Basel"], [55, 66, 26])
        forest = g.forest()
        self.assertEqual(list(forest), ["source", "target", "weight"])
        self.assertEqual([c.tolist() for c in forest.values()], [["Basel", "Basel"], ["Bern", "Olten"], [55, 26]])
        self.assertEqual(g.report["totals"], {"edges": 2, "trees": 1, "weight": 81})
        self.assertEqual(g.as_dicts().forest()[1], {"source": "Basel", "target": "Olten", "weight": 26})

    @need("pandas")
    def test_rows_as_frame(self):
        frame = Graph.from_edges([1, 2], [2, 3]).as_series().forest()
        self.assertEqual((list(frame.columns), frame.values.tolist()), (["source", "target"], [[1, 2], [2, 3]]))

    @need("pandas")
    def test_frame(self):
        g = Graph.from_edges([1, 2], [2, 3], vertices=[0, 1, 2, 3]).as_series()
        frame = g.bfs(source=1, parents=True)
        self.assertEqual([str(t) for t in frame.dtypes], ["Int64", "Int64"])
        self.assertEqual(frame.index.tolist(), [0, 1, 2, 3])
        self.assertEqual(frame.iloc[:, 0].isna().tolist(), [True, False, False, False])
        self.assertEqual(frame.iloc[2:, 1].tolist(), [1, 2])

    def test_wrong_use(self):
        for call, error, text in [
            (lambda: self.g.pagerank(dampling=1), TypeError, "did you mean damping"),
            (lambda: self.g.pagerank(damping=1), ValueError, "expected a number, at least 0 and below 1"),
            (lambda: self.g.pagerank(damping=True), TypeError, "no switch"),
            (lambda: self.g.pagerank(weighted=3), TypeError, "True or False"),
            (lambda: self.g.pagerank(output="x"), TypeError, "no parameter 'output'"),
            (lambda: self.g.kcore(), TypeError, "'k'"),
            (lambda: self.g.bfs(), ValueError, "^bfs needs source or sources$"),
            (lambda: self.g.bfs(sources=[0, 3]), TypeError, r"^sources: expected the name of a file, not \[0, 3\]: vertices are given as source, one or a list$"),
            (lambda: self.g.bfs(source=0, method="push"), ValueError, "^method: expected one of auto, .*, not 'push'$"),
            (lambda: self.g.pagerank(threads=-3), ValueError, "^threads: expected a whole number from .*, not -3$"),
            (lambda: self.g.circuit(source=0, ground=0), ValueError, "^source and ground are the same vertex$"),
            (lambda: self.g.bfs(source=9), ValueError, '^source: the graph has no vertex "9": its ids run from 0 to 3$'),
            (lambda: self.g.bfs(source=[0] * 2000 + [9]), garaph.UsageError, '^source: the graph has no vertex "9": its ids'),
            (lambda: Graph.open(self.g.path).bfs(source=9), garaph.UsageError, '^source: the graph has no vertex "9"'),
            (lambda: self.g.bfs(source=1.5), ValueError, "1.5 is no id"),
            (lambda: self.g.run("pagerang"), ValueError, "^unknown program 'pagerang': did you mean pagerank\\?$"),
            (lambda: self.g.run("x"), ValueError, "unknown program 'x': there are pagerank, bfs"),
            (lambda: self.g.pagerank(progress=1), TypeError, "progress is True, False"),
            (lambda: self.g.pagerang, AttributeError, "'pagerang'.*did you mean pagerank"),
            (lambda: Graph(), TypeError, "Graph.from_edges"),
        ]:
            with self.subTest(text), self.assertRaisesRegex(error, text):
                call()

    def test_unknown_vertices(self):
        names = Graph.from_edges(["a"], ["b"])
        for vertex in ("c", 1, None, ("a",), b"a"):
            with self.subTest(vertex), self.assertRaisesRegex(ValueError, "source: "):
                names.run("bfs", source=[vertex])
        with self.assertRaisesRegex(ValueError, "give a list of them as source"):
            names.bfs(sources="file")

    @unittest.skipUnless(os.environ.get("GARAPH_TEST_OWN"), "the command has no program of a user's")
    def test_own_program(self):
        """A program that the package does not know is a method, too."""
        self.assertEqual(self.g.indegree().tolist(), [1, 1, 1, 1])
        self.assertIn("number of in-edges", self.g.indegree.__doc__)
        columns = self.g.farthest()
        self.assertEqual({name: c.tolist() for name, c in columns.items()}, {"far": [2, 2, 2, 3], "at": [2, 2, None, None]})
        self.assertEqual(self.g.as_dicts().farthest()[1], {"far": 2, "at": 2})
        names = Graph.from_edges(["a", "b"], ["b", "c"])
        self.assertEqual(names.farthest()["at"].tolist(), [None, None, None])
        back = Graph.from_edges(["a", "c"], ["b", "b"], directed=False)
        self.assertEqual(back.farthest()["at"].tolist(), ["c", "c", None])

    def test_progress(self):
        seen = []
        self.g.pagerank(progress=seen.append)
        self.assertIn("pagerank", {u["phase"] for u in seen})
        with self.assertRaisesRegex(ZeroDivisionError, "division"):
            self.g.pagerank(progress=lambda update: 1 / 0)

    @need("pandas")
    def test_views(self):
        series = self.g.as_series().pagerank()
        self.assertEqual(series.name, "pagerank")
        np.testing.assert_array_equal(series.to_numpy(), self.g.pagerank())
        self.assertEqual(series.to_dict(), self.g.as_dicts().pagerank())


class InterruptTest(unittest.TestCase):
    def setUp(self):
        self.g = Graph.from_edges([0, 1, 2], [1, 0, 0])

    def test_interrupt(self):
        """Ctrl-C ends the job in order, and it goes on."""
        with self.assertRaisesRegex(garaph.Interrupted, "^pagerank on .* was stopped after .* iterations; no results were written; resume\\(\\) of the graph goes on$"):
            self.g.pagerank(progress=lambda u: u["done"] and signal.raise_signal(signal.SIGINT), **ENDLESS)
        self.assertIsInstance(garaph.Interrupted(), KeyboardInterrupt)
        jobs = [job for job in self.g.jobs() if job["state"] != "done"]
        self.assertEqual([job["program"] for job in jobs], ["pagerank"])
        for name in ("damping", "iterations", "mode", "method"):
            with self.assertRaisesRegex(TypeError, f"'{name}': a job goes on with the program and the parameters that it began with; beside them, .* has job, progress, [a-z_, ]*$"):
                self.g.resume(**{name: 5})
        with self.assertRaisesRegex(TypeError, "did you mean threads"):
            self.g.resume(thread=5)
        self.assertRaises(garaph.GaraphError, self.g.resume, 99)

    def test_many_sources(self):
        """A job keeps sources that came in a file of the call."""
        n = _graph._MANY_SOURCES + 500
        g = Graph.from_edges(np.arange(n), (np.arange(n) + 1) % n)
        call = dict(source=range(0, n - 1), precision=64, tolerance=0, damping=0.9999)
        want = g.as_arrays().pagerank(iterations=LONG, **call)
        with self.assertRaisesRegex(garaph.Interrupted, "goes on$"):
            g.pagerank(progress=lambda u: u["done"] and signal.raise_signal(signal.SIGINT), iterations=LONG, **call)
        np.testing.assert_array_equal(g.as_arrays().resume(), want)

    def test_parameters_of_resume(self):
        """The command takes all of them."""
        flags = subprocess.run([_binary.find(), "resume", "--help"], stdout=subprocess.PIPE, check=True).stdout.decode()
        for spec in _graph._resumed()[0]:
            self.assertIn(f" --{spec['name']} ", flags)

    def test_resumed(self):
        code = f"""
            import signal, sys, garaph
            g = garaph.Graph.from_edges([0, 1, 2], [1, 0, 0], path=sys.argv[1])
            try:
                g.pagerank(progress=lambda u: u["done"] and signal.raise_signal(signal.SIGINT), **{dict(ENDLESS, iterations=LONG)!r})
            except garaph.Interrupted:
                pass
        """
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "g")
            subprocess.run([sys.executable, "-c", textwrap.dedent(code), path], check=True)
            g = Graph.open(path)
            state = g.jobs()[0]["state"]
            if state == "done":
                self.skipTest("the job was done before it was interrupted")
            got = g.as_arrays().resume()
            self.assertEqual(g.jobs()[0]["state"], "done")
            np.testing.assert_array_equal(got, g.as_arrays().pagerank(**dict(ENDLESS, iterations=LONG)))

    def test_killed(self):
        """With Python, whatever kills it, the job ends, and does not wait for a fork of Python."""
        code = f"""
            import os, sys, time, garaph

            def show(update, forked=[]):
                if update["phase"] == "pagerank" and not forked:
                    forked.append(os.fork())
                    if forked == [0]:
                        time.sleep(300)
                        os._exit(0)
                    print(*forked, flush=True)

            g = garaph.Graph.from_edges([0, 1, 2], [1, 0, 0], path=sys.argv[1])
            g.pagerank(progress=show, **{ENDLESS!r})
        """
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "g")
            python = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code), path], stdout=subprocess.PIPE)
            self.addCleanup(os.kill, int(python.stdout.readline()), signal.SIGKILL)
            python.stdout.close()
            g = Graph.open(path)
            self.assertEqual([job["state"] for job in g.jobs()], ["running"])
            python.kill()
            python.wait()
            for _ in range(600):
                if [job["state"] for job in g.jobs()] != ["running"]:
                    break
                time.sleep(0.1)
            self.assertEqual([job["state"] for job in g.jobs()], ["interrupted"])

"""Arrays, matrices, frames and files as input, and what is refused of them."""

import os
import subprocess
import tempfile
import unittest
from unittest import mock

import numpy as np

import garaph
from garaph import Graph, _binary, _names
from garaph._edges import _CHUNK

from .common import LONG, need


class EdgesTest(unittest.TestCase):
    def test_kinds_of_ids(self):
        for name, ids in {
            "int32": np.array([5, 7, 9], np.int32),
            "2^32 - 1": np.array([0, 7, 2**32 - 1]),
            "negative": np.array([-3, 7, 2**40]),
            "unsigned": np.array([1, 7, 2**64 - 1], np.uint64),
            "text": np.array(["Basel", "Zürich", "Ölten"]),
            "bytes": np.array([b"a", b"b", b"\xff"]),
            "objects": np.array(["a", "b", "much longer"], object),
            "integers as objects": np.array([1, 2, 2**63], object),
        }.items():
            with self.subTest(name):
                g = Graph.from_edges(ids[[0, 1]], ids[[1, 2]])
                self.assertEqual(g.ids.tolist(), ids.tolist())
                self.assertEqual(g.bfs(source=ids[1]).tolist()[1:], [0, 1])
                self.assertTrue(np.isnan(g.bfs(source=ids[1])[0]))
                self.assertEqual(g.components().tolist(), ids[[0, 0, 0]].tolist())
                self.assertEqual(g.as_dicts().bfs(source=[ids[0], ids[2]]), dict(zip(ids.tolist(), (0, 1, 0))))

    def test_other_inputs(self):
        want = {1: 0, 2: 1, 3: 2}
        self.assertEqual(Graph.from_edges([1, 2], [2, 3]).as_dicts().bfs(source=1), want)
        self.assertEqual(Graph.from_edges((x for x in (1, 2)), range(2, 4)).as_dicts().bfs(source=1), want)

    def test_chunks(self):
        """Edges of several chunks, and in any layout in memory."""
        n = 2 * _CHUNK + 1000
        both = np.stack([np.arange(n), np.arange(1, n + 1)], axis=1)
        g = Graph.from_edges(both[:, 0], both[:, 1], np.full(n, 0.5))
        self.assertEqual((g.num_vertices, g.num_edges), (n + 1, n))
        np.testing.assert_array_equal(g.sssp(source=0, precision=64), np.arange(n + 1) / 2)

    def test_wide_ids(self):
        """Ids of 64 bits, which the command numbers itself, of several chunks."""
        n = _CHUNK + 7
        for source, target in (
            (np.arange(n) - 2**40, np.arange(1, n + 1) - 2**40),
            (np.arange(n, dtype=np.uint64) + np.uint64(2**63), np.arange(1, n + 1, dtype=np.uint64) + np.uint64(2**63)),
        ):
            for weight in (None, np.full(n, 0.25)) if LONG or source.dtype.kind == "i" else (np.full(n, 0.25),):
                with self.subTest(source.dtype, weighted=weight is not None):
                    g = Graph.from_edges(source, target, weight)
                    self.assertEqual((g.num_edges, g.weighted), (n, weight is not None))
                    np.testing.assert_array_equal(g.ids, np.append(source, target[-1]))
                    np.testing.assert_array_equal(g.sssp(source=source[0], precision=64), np.arange(n + 1) * (1 if weight is None else 0.25))
        g = Graph.from_edges(np.array([1, 2**40]), np.array([2**63, 1], np.uint64))
        self.assertEqual(g.as_dicts().bfs(source=2**40), {1: 1, 2**40: 0, 2**63: 2})
        self.assertEqual(Graph.from_edges([1, 2**63], [2, 3]).ids.tolist(), [1, 2, 3, 2**63])

    def test_arrays_of_others(self):
        """What gives an array of itself, as columns of Arrow do."""

        class Column:
            def __init__(self, values):
                self.values = values

            def __array__(self, dtype=None, copy=None):
                return np.array(self.values, dtype)

        g = Graph.from_edges(Column([2**40, 5]), Column([5, 6]), Column([0.5, 1]))
        self.assertEqual(g.as_dicts().sssp(source=2**40), {5: 0.5, 6: 1.5, 2**40: 0})

    @need("pyarrow")
    def test_pyarrow(self):
        import pyarrow

        table = pyarrow.table({"source": ["a", "b"], "target": ["b", "c"], "weight": [1.5, 2]})
        g = Graph.from_edges(table["source"], table["target"], table["weight"])
        self.assertEqual(g.as_dicts().sssp(source="a"), {"a": 0, "b": 1.5, "c": 3.5})

    def test_one_weight(self):
        for weight in (2, 2.0, np.float32(2), np.array(2)):
            self.assertEqual(Graph.from_edges([0, 1], [1, 2], weight).sssp(source=0).tolist(), [0, 2, 4])
        self.assertEqual(Graph.from_edges([-1, 1], [1, 2], 0.5).sssp(source=-1).tolist(), [0, 0.5, 1])

    def test_many_names(self):
        """However names are numbered, results are the same."""
        random = np.random.default_rng(5)
        names = np.array([f"{'né' if x % 3 == 0 else 'na'}{x:x}" for x in random.permutation(3000)], object)
        ends = random.integers(len(names), size=(2, 2 * _CHUNK))
        same = names[ends]
        want = Graph.from_edges(*same)
        own = np.array([[name[:1] + name[1:] for name in column] for column in same], object)
        kinds = {"same": same, "own": own, "fixed, and of the other order": own.astype(">U9")}
        if LONG:
            kinds.update({"fixed": own.astype("U"), "both": [same[0], own[1].astype("U")]})
        for kind, columns in kinds.items():
            with self.subTest(kind), mock.patch.object(_names, "MANY", 0):
                g = Graph.from_edges(*columns)
                self.assertEqual(g.ids.tolist(), want.ids.tolist())
                np.testing.assert_array_equal(g.pagerank(iterations=3), want.pagerank(iterations=3))
                self.assertEqual(g.components()[5], want.components()[5])
                with self.assertRaisesRegex(garaph.GaraphError, "has no vertex"):
                    g.bfs(source="none")
        for kind, columns in {"same": same, "own": own}.items():
            for place, value, text in ((_CHUNK + 1, None, "missing"), (7, 5, "some ids are int and others str")):
                spoilt = columns.copy()
                spoilt[1, place] = value
                with self.subTest(kind, value=value), mock.patch.object(_names, "MANY", 0), self.assertRaisesRegex((ValueError, TypeError), text):
                    Graph.from_edges(*spoilt)

    @need("pandas")
    def test_same_objects(self):
        """Entries are numbered by what object they are where that is worth it."""
        random = np.random.default_rng(7)
        for few, many in ((1, 2000), (50, 2000), (1 << 12, 1 << 17)):
            objects = np.array([f"name {x}" for x in range(few)], object)
            columns = [objects[random.integers(few, size=many)], objects[random.integers(few, size=2 * many)][::2]]
            codes, found = _names.by_identity(columns)
            self.assertLessEqual(len(found), few)
            self.assertEqual(found[codes].tolist(), [*columns[0], *columns[1]])
        self.assertIsNone(_names.by_identity([np.array([f"name {x}" for x in range(2000)], object)]))
        self.assertIsNone(_names.by_identity([columns[0], columns[1].astype("U")]))

    def test_names_as_arrow(self):
        """Names of any length come out as they went in, and what the command does not take is found."""
        random = np.random.default_rng(6)
        for kind in ("O", "U"):
            for letters in ("ab", "aé", "a\U0001f600"):
                names = np.array(["".join(random.choice(list(letters), size)) for size in random.integers(1, 40, 5000)], object)
                offsets, text = _names.encoded(names.astype(kind))
                self.assertEqual([text[a:b].decode() for a, b in zip(offsets, offsets[1:])], names.tolist())
            for odd in ("", "a\0b", "a" * 257, "é" * 129, "\udc80"):
                with self.subTest(kind, odd=odd[:3]), self.assertRaises(_names.Unsent):
                    _names.encoded(np.array(["a", odd, "b"], object).astype(kind))

    def test_zero_at_the_end(self):
        """NumPy and pandas take names for equal that differ behind a 0."""
        for zero, a, b in (("a\0", "a", "b"), (b"a\0", b"a", b"b")):
            for names in ([zero, a, zero], np.array([zero, a, zero], object)):
                with self.subTest(zero, kind=type(names).__name__):
                    g = Graph.from_edges(names, [b, b, a])
                    self.assertEqual(set(g.ids.tolist()), {zero, a, b})
                    self.assertEqual(g.as_dicts().bfs(source=zero), {zero: 0, a: 1, b: 1})
        g = Graph.from_edges(np.array(["a"]), np.array(["b"]), vertices=np.array(["a", "b"]))
        self.assertEqual(g.as_dicts().bfs(source="a"), {"a": 0, "b": 1})
        with self.assertRaisesRegex(ValueError, "no vertex"):
            g.bfs(source="a\0")

    @need("pandas")
    def test_zero_at_the_end_with_pandas(self):
        import pandas  # noqa: F401

        self.test_zero_at_the_end()

    def test_vertices(self):
        g = Graph.from_edges([0], [2], vertices=4)
        np.testing.assert_array_equal(g.bfs(source=0), [0, np.nan, 1, np.nan])
        self.assertEqual(g.ids.tolist(), [0, 1, 2, 3])
        g = Graph.from_edges(["b"], ["d"], vertices=["a", "d", "c", "b", "a"])
        self.assertEqual(g.as_dicts().bfs(source="b"), {"a": None, "b": 0, "c": None, "d": 1})
        self.assertEqual(Graph.from_edges([], [], vertices=1).pagerank().tolist(), [1])
        self.assertEqual(Graph.from_edges([], [], vertices=["x"]).as_dicts().pagerank(), {"x": 1})

    def test_undirected_and_options(self):
        g = Graph.from_edges([0, 0, 1], [1, 1, 1], directed=False, dedup=True, drop_self_loops=True)
        self.assertEqual((g.num_edges, g.directed), (2, False))
        self.assertEqual(g.bfs(source=1).tolist(), [1, 0])

    def test_refused(self):
        for source, target, options, error, text in [
            ([1, 2], [1], {}, ValueError, "source has 2 entries and target 1"),
            ([], [], {}, ValueError, "vertices=N"),
            ([], [], {"vertices": []}, ValueError, "no vertex"),
            (["a", "a"], ["a", "b"], {"vertices": ["a"]}, ValueError, "target: entry 1 is 'b': vertices, the ids of all vertices, do not have it"),
            ([1, 5], [1, 1], {"vertices": [1, 2]}, ValueError, "source: entry 1 is 5: vertices"),
            ([1], [1], {"vertices": []}, ValueError, "source: entry 0 is 1: vertices"),
            ([{1}, {2}], [{1}, {2}], {}, TypeError, r"source: entry 0 is \{1\}, and no id, for it can change and has no hash"),
            ([[1], [1, 2]], [1, 2], {}, TypeError, r"source: entry 0 is \[1\], and no id"),
            ([1, 2], [3, 4], {"progress": "x"}, TypeError, "progress is True, False, None, or a function .*, not 'x'"),
            ([1.5], [2.5], {}, TypeError, r"ids are integers or strings, not float64; convert them, for example with astype\(str\)"),
            ([1.0], [2.0], {}, TypeError, r"not float64; convert them, for example with astype\('int64'\)"),
            (np.array([1, np.nan]), [2, 3], {}, ValueError, r"source: entry 1 is missing \(nan\): .* dropna\(\), and make integers of the other ids"),
            ([1.0, np.inf], [2, 3], {}, ValueError, "source: entry 1 is inf, which is no id: leave such edges out"),
            ([2, 3], [1e30, 1.0], {}, ValueError, r"target: entry 0 is 1e\+30, and from 9007199254740992 on a float64 may stand for another integer: read such ids as integers or strings"),
            (np.array([2**24], "f4"), [1], {}, ValueError, "from 16777216 on a float32"),
            (["a", ""], ["b", "c"], {}, ValueError, "source: entry 1 is an empty name, which is no id: leave such edges out, or give such vertices a name"),
            (["a", "c"], np.array(["", "b"]), {}, ValueError, "target: entry 0 is an empty name"),
            (np.array([b"a"]), np.array([b""]), {}, ValueError, "target: entry 0 is an empty name"),
            (["a"], ["b"], {"vertices": ["a", "b", ""]}, ValueError, "vertices: entry 2 is an empty name"),
            ([True], [False], {}, TypeError, r"not bool; convert them, for example with astype\('int64'\)"),
            ([1], ["a"], {}, TypeError, "of one kind"),
            ([1, "a"], ["b", 2], {}, TypeError, "some ids are int and others str: they must be of one kind"),
            ([1, "1"], [1, 2], {"vertices": [1, "1", 2]}, TypeError, "of one kind"),
            ([True, 2], [3, 4], {}, TypeError, "some ids are bool and others int"),
            (["a", b"b"], ["a", "a"], {}, TypeError, "bytes and others str"),
            (np.array(["2026-01-01"], "M8[s]"), np.array(["2026-01-02"], "M8[s]"), {}, TypeError, r"not datetime64\[s\]; make strings of times"),
            ("ab", ["b"], {}, TypeError, "source: expected a list or an array of ids, not 'ab'"),
            ([1], 2, {}, TypeError, "target: expected a list or an array of ids, not 2"),
            ([0], [1], {"weights": [1]}, TypeError, "^from_edges\\(\\) has no parameter 'weights': did you mean weight\\?$"),
            ([0], [1], {"sauce": 1}, TypeError, "did you mean source"),
            ([0], [1], {"weight": "minutes"}, TypeError, "expected a number, or one for each edge, not 'minutes'"),
            ([0], [1], {"weight": -1}, ValueError, "edge 0 has -1"),
            ([[1]], [[2]], {}, ValueError, "one dimension"),
            (["a", None], ["b", "c"], {}, ValueError, "source: entry 1 is missing"),
            ([0, 4], [1, 1], {"vertices": 4}, ValueError, "source: entry 1 is 4: with vertices=4, ids run from 0 to 3"),
            ([0], [-1], {"vertices": 4}, ValueError, "target: entry 0 is -1"),
            (["a"], ["b"], {"vertices": 4}, TypeError, "integers from 0 to 3"),
            ([0], [1], {"vertices": 0}, ValueError, "1 to 4,294,967,295 vertices"),
            ([-1], [2**63], {}, ValueError, "signed or unsigned"),
            ([-1, 2**63], [1, 2], {}, ValueError, "signed or unsigned"),
            ([0], [1], {"weight": [1, 2]}, ValueError, "shape"),
            ([0], [1], {"weight": ["x"]}, TypeError, "weights are numbers"),
            ([0, 0], [1, 1], {"weight": [1, np.nan]}, ValueError, "edge 1 has nan"),
            ([0], [1], {"weight": [np.inf]}, ValueError, "edge 0 has inf"),
            ([0], [1], {"weight": [1e39]}, ValueError, "at most 3.4e38"),
            ([0, 1], [1, 0], {"weight": [0, 1e-50]}, ValueError, "edge 1 has 1e-50, of which a 32-bit float makes 0"),
            ([0], [1], {"dedupe": True}, TypeError, "did you mean dedup"),
            ([0], [1], {"dedup": 1}, TypeError, "dedup is True or False"),
            ([0], [1], {"memory": "much"}, ValueError, "expected a number of bytes"),
            ([0], [1], {"memory": "1MiB"}, ValueError, "188"),
            ([(1, 2)], [(3, 4)], {"path": "x"}, ValueError, "dimension"),
            (np.ma.array([1, 2], mask=[False, True]), [2, 3], {}, ValueError, "source: entry 1 is masked"),
            ([0, 1], [1, 2], {"weight": np.ma.array([1.0, 2], mask=[False, True])}, ValueError, "edge 1 has none, for it is masked"),
            ([0, 1], [1, 2], {"weight": [1, None]}, ValueError, r"weight: entry 1 is missing \(None\)"),
            ([0, 1], [1, 2], {"weight": np.array([1, "2"], object)}, TypeError, "weights are numbers, not '2'"),
        ]:
            with self.subTest(source=source, target=target, **options), self.assertRaisesRegex(error, text):
                Graph.from_edges(source, target, **options)


@need("scipy")
class SciPyTest(unittest.TestCase):
    def setUp(self):
        import scipy.sparse

        self.sparse = scipy.sparse

    def test_formats(self):
        dense = np.array([[0, 2, 0], [0, 0, 0.5], [0, 0, 0]])
        for kind in ("csr", "csc", "coo", "lil", "dok", "dia", "bsr"):
            for make in (self.sparse.csr_matrix, self.sparse.csr_array) if LONG else (self.sparse.csr_array,):
                with self.subTest(kind, make=make.__name__):
                    g = Graph.from_scipy(make(dense).asformat(kind))
                    self.assertTrue(g.weighted)
                    self.assertEqual(g.sssp(source=0).tolist(), [0, 2, 2.5])

    def test_weights(self):
        self.assertFalse(Graph.from_scipy(self.sparse.eye(3)).weighted)
        self.assertTrue(Graph.from_scipy(self.sparse.eye(3), weighted=True).weighted)
        self.assertFalse(Graph.from_scipy(2 * self.sparse.eye(3), weighted=False).weighted)
        self.assertFalse(Graph.from_scipy(self.sparse.eye(3, dtype=bool)).weighted)
        twice = self.sparse.coo_matrix(([1.0, 2.0], ([0, 0], [1, 1])), (2, 2))
        for kind in ("coo", "csr", "csc"):
            matrix = {"coo": twice, "csr": self.sparse.csr_matrix(([1.0, 2.0], [1, 1], [0, 2, 2]), (2, 2)), "csc": self.sparse.csc_matrix(([1.0, 2.0], [0, 0], [0, 0, 2]), (2, 2))}[kind]
            g = Graph.from_scipy(matrix)
            self.assertEqual((g.num_edges, g.sssp(source=0).tolist(), matrix.nnz), (1, [0, 3], 2))

    def test_undirected(self):
        one = self.sparse.csr_matrix([[1.0, 2, 0], [0, 0, 3], [0, 0, 0]])
        both = one + self.sparse.triu(one, 1).T
        for matrix in (one, one.T, both):
            g = Graph.from_scipy(matrix, directed=False)
            self.assertEqual((g.num_edges, g.directed), (5, False))
            self.assertEqual(g.sssp(source=2).tolist(), [5, 3, 0])
        for pattern in (both.astype(bool), both * np.nan):
            self.assertEqual(Graph.from_scipy(pattern, weighted=False, directed=False).as_arrays().bfs(source=2).tolist(), [2, 1, 0])
        both[0, 1] = 7
        with self.assertRaisesRegex(ValueError, "not symmetric"):
            Graph.from_scipy(both.tocsr(), directed=False)
        apart = self.sparse.coo_matrix(([0.0, 0.0], ([0, 2], [1, 1])), (3, 3))  # zeros that are there are edges
        with self.assertRaisesRegex(ValueError, "not symmetric"):
            Graph.from_scipy(apart, directed=False)
        alike = self.sparse.coo_matrix(([0.0, 0.0, 2.0, 2.0], ([0, 1, 1, 2], [1, 0, 2, 1])), (3, 3))
        self.assertEqual(Graph.from_scipy(alike, directed=False).sssp(source=0).tolist(), [0, 0, 2])

    def test_refused(self):
        with self.assertRaisesRegex(ValueError, "not square"):
            Graph.from_scipy(self.sparse.csr_matrix((2, 3)))
        with self.assertRaisesRegex(TypeError, "sparse"):
            Graph.from_scipy(np.eye(3))
        with self.assertRaisesRegex(ValueError, "weight: the entry in row 0 and column 0 is -1"):
            Graph.from_scipy(-self.sparse.eye(3))
        for value in (np.nan, np.inf):
            with self.assertRaisesRegex(ValueError, f"weight: the entry in row 0 and column 1 is {value}; a weight is finite"):
                Graph.from_scipy(self.sparse.csr_matrix([[0, value], [value, 0]]), directed=False)


@need("pandas")
class PandasTest(unittest.TestCase):
    def setUp(self):
        import pandas

        self.pandas = pandas
        self.trains = pandas.DataFrame({"from": ["Basel", "Bern", "Basel"], "to": ["Bern", "Brig", "Olten"], "minutes": [55, 66, 26]})

    def test_series(self):
        g = Graph.from_pandas(self.trains, "from", "to", "minutes", directed=False)
        got = g.sssp(source="Brig")
        self.assertEqual((got.name, got.index.name), ("distance", "id"))
        self.assertEqual(got.to_dict(), {"Basel": 121, "Bern": 66, "Brig": 0, "Olten": 147})

    def test_nulls(self):
        g = Graph.from_pandas(self.trains, "from", "to")
        hops = g.bfs(source="Bern")
        self.assertEqual(str(hops.dtype), "Int64")
        self.assertEqual(hops.isna().tolist(), [True, False, False, True])
        self.assertEqual(hops.mean(), 0.5)
        self.assertEqual(g.sssp(source="Bern").isna().tolist(), [True, False, False, True])
        width = g.sswp(source="Bern")
        self.assertEqual(width["Bern"], np.inf)  # and not null
        self.assertEqual(width.isna().tolist(), [True, False, False, True])
        self.assertEqual(g.as_arrays().sswp(source="Bern")[1], np.inf)
        self.assertEqual(g.as_dicts().sswp(source="Bern"), {"Basel": None, "Bern": np.inf, "Brig": 1, "Olten": None})

    def test_types(self):
        for dtype in ("string", "category", "object"):
            with self.subTest(dtype):
                g = Graph.from_pandas(self.trains.astype({"from": dtype, "to": dtype}), "from", "to")
                self.assertEqual(list(g.ids), ["Basel", "Bern", "Brig", "Olten"])
        numbers = self.pandas.DataFrame({"source": [1, 2**33], "target": [2**33, 4]})
        for dtype in ("int64", "uint64", "Int64"):
            with self.subTest(dtype):
                g = Graph.from_pandas(numbers.astype(dtype))
                self.assertEqual(g.bfs(source=1).to_dict(), {1: 0, 4: 2, 2**33: 1})
        numbers = numbers.astype("Int64")
        numbers.loc[1, "target"] = self.pandas.NA
        with self.assertRaisesRegex(ValueError, "target: entry 1 is missing"):
            Graph.from_pandas(numbers)

    def test_missing_integers(self):
        """Missing integers are missing, also where they come to NumPy as NaN, as with pandas 3."""

        class Column:
            dtype = self.pandas.Int64Dtype()

            def __array__(self, dtype=None, copy=None):
                return np.array([1, None], object) if dtype is object or dtype == np.dtype(object) else np.array([1.0, np.nan])

            def isna(self):
                return np.array([False, True])

        with self.assertRaisesRegex(ValueError, "source: entry 1 is missing"):
            Graph.from_edges(Column(), [2, 3])
        with self.assertRaisesRegex(ValueError, "weight: entry 1 is missing"):
            Graph.from_edges([1, 2], [2, 3], Column())

    def test_missing_in_floats(self):
        """What is advised about a column of integers with NaN works."""
        frame = self.pandas.DataFrame({"source": [1, None, 3], "target": [2, 3, 1]})
        with self.assertRaisesRegex(ValueError, r"source: entry 1 is missing \(nan\): leave such edges out, for example with dropna\(\)"):
            Graph.from_pandas(frame)
        self.assertEqual(Graph.from_pandas(frame.dropna().astype("int64")).ids.tolist(), [1, 2, 3])

    def test_times(self):
        """Times are no ids; without a word they would be nanoseconds."""
        times = self.pandas.DataFrame({"source": self.pandas.to_datetime(["2026-01-01"]), "target": self.pandas.to_datetime(["2026-01-02"])})
        with self.assertRaisesRegex(TypeError, "source: .*make strings of times"):
            Graph.from_pandas(times)
        self.assertEqual(list(Graph.from_pandas(times.astype(str)).ids), ["2026-01-01", "2026-01-02"])
        with self.assertRaisesRegex(TypeError, "some ids are int and others str"):
            Graph.from_pandas(self.pandas.DataFrame({"source": [1, "a"], "target": ["b", 2]}))

    def test_columns(self):
        with self.assertRaisesRegex(TypeError, r"from_pandas\(\) has no parameter 'weights': did you mean weight\?"):
            Graph.from_pandas(self.trains, "from", "to", weights="minutes")
        with self.assertRaisesRegex(ValueError, "no column 'source' in the frame, which has 'from', 'to', 'minutes'"):
            Graph.from_pandas(self.trains)
        with self.assertRaisesRegex(ValueError, "there are 2 columns 'to' in the frame"):
            Graph.from_pandas(self.trains.rename(columns={"minutes": "to"}), "from", "to")
        with self.assertRaisesRegex(TypeError, "expected a DataFrame with a row for each edge, not dict"):
            Graph.from_pandas({"source": [1], "target": [2]})
        with self.assertRaisesRegex(ValueError, r"weight: entry 1 is missing \(<NA>\)"):
            Graph.from_pandas(self.trains.assign(minutes=self.pandas.array([1, None, 2], "Int64")), "from", "to", "minutes")
        for kind in ("Int64", "Float64"):
            with self.assertRaisesRegex(ValueError, "weight: entry 0 is missing"):
                Graph.from_edges([1], [2], self.pandas.array([None], kind))

    def test_vertex_values(self):
        got = Graph.from_pandas(self.trains, "from", "to").components()
        self.assertEqual(got.tolist(), ["Basel"] * 4)


class FileTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def file(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def test_text(self):
        path = self.file("trains.csv", "from,to,minutes\nBasel,Bern,55\nBern,Brig,66\n")
        g = Graph.from_file(path, directed=False, header=True)
        self.assertEqual(g.as_dicts().sssp(source="Brig"), {"Basel": 121, "Bern": 66, "Brig": 0})
        self.assertEqual(list(g.ids), ["Basel", "Bern", "Brig"])
        g = Graph.from_file(path, columns=["from", "to"], delimiter=",")
        self.assertFalse(g.weighted)

    def test_ids(self):
        """Ids are there before the first run, of any kind, and the report stays."""
        for text, want in {"3 7\n9 7\n": [3, 7, 9], "-1 4\n": [-1, 4], "a b\nb c\n": ["a", "b", "c"], "1 18446744073709551615\n": [1, 2**64 - 1]}.items():
            g = Graph.from_file(self.file("e.txt", text))
            self.assertEqual((g.ids.tolist(), g.report), (want, None))
            self.assertEqual(list(g.as_dicts().components().values()), [want[0]] * len(want))

    def test_names_in_files(self):
        """Names in a result that the command wrote for NumPy are text."""
        graph, values = os.path.join(self.folder, "trains.graph"), os.path.join(self.folder, "hops.npy")
        Graph.from_file(self.file("trains.txt", "Basel Zürich\n"), path=graph)
        subprocess.run([_binary.find(), "run", "bfs", "-q", "--source=Basel", f"--output={values}", graph], check=True, stdin=subprocess.DEVNULL)
        self.assertEqual(np.load(values)["id"].tolist(), ["Basel", "Zürich"])

    def test_warning(self):
        with self.assertWarnsRegex(garaph.GaraphWarning, "header") as caught:
            Graph.from_file(self.file("e.csv", "from,to\n1,2\n"))
        self.assertEqual(caught.filename, __file__)
        with self.assertWarnsRegex(garaph.GaraphWarning, "1 whole numbers are rounded to 24 bits, the largest of them 9007199254740994"):
            Graph.from_edges([1, 2], [2, 3], [2**53 + 2, 5])

    def test_wide_weights(self):
        """Whole numbers up to 2**53 are exact, and others beside them are 32-bit floats."""
        third = float(np.float32(1 / 3))
        for ids in ([1, 2, 3], [1, 2, 2**40], ["a", "b", "c"]):
            for weight in ([2**24 + 1, 5], [2.0**24 + 1, 1 / 3], [2**53 - 1, 2**24], [2**40 + 1, 2**24 + 3]):
                distances = Graph.from_edges(ids[:2], ids[1:], weight).sssp(source=ids[0]).tolist()
                first, second = float(weight[0]), third if weight[1] == 1 / 3 else float(weight[1])
                self.assertEqual(distances, [0, first, first + second])
        distances = Graph.from_edges([0, 1], [1, 2], [2**24 + 1, 2], vertices=4).sssp(source=0)
        self.assertEqual(distances[:3].tolist(), [0, 2**24 + 1, 2**24 + 3])
        self.assertTrue(np.isnan(distances[3]))

    def test_failures(self):
        path = self.file("e.txt", "1 2\n3\n")
        with self.assertRaisesRegex(garaph.GaraphError, "e.txt:2: .*; use skip_bad_lines=True to pass"):
            Graph.from_file(path)
        with self.assertRaisesRegex(TypeError, r"from_file\(\) has no parameter 'undirected': did you mean directed\?"):
            Graph.from_file(path, undirected=True)
        with self.assertRaisesRegex(garaph.GaraphError, "there is no such file"):
            Graph.from_file(os.path.join(self.folder, "none.txt"))
        with self.assertRaisesRegex(garaph.UsageError, "expected one of auto, text"):
            Graph.from_file(path, format="xml")
        with self.assertRaisesRegex(ValueError, "one or more files"):
            Graph.from_file()
        with self.assertRaisesRegex(TypeError, r"expected a path, not \['a', 'b'\]; give several files one by one: from_file\(\*files\)"):
            Graph.from_file(["a", "b"])

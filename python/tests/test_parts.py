"""Parts of the package by themselves, and the examples in its texts."""

import doctest
import importlib
import inspect
import io
import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
import types
import typing
import unittest
from unittest import mock

import numpy as np

import garaph
from garaph import Graph, _binary, _process, _progress, _typing


def load_tests(loader, tests, pattern):
    for name in ("garaph", "_arrow", "_edges", "_graph", "_index", "_queries", "_names", "_parameters", "_progress", "_wording"):
        tests.addTests(doctest.DocTestSuite(importlib.import_module("garaph" if name == "garaph" else "garaph." + name)))
    return tests


class TypingTest(unittest.TestCase):
    def test_hints(self):
        """The annotations of all that is public can be had where it runs, with or without pandas."""
        seen = 0
        for owner in (Graph, garaph._programs.RunOptions, garaph._programs.Programs):
            typing.get_type_hints(owner)
            for name, member in inspect.getmembers(owner, lambda x: inspect.isfunction(x) or inspect.ismethod(x)):
                seen += 1
                self.assertTrue("return" in typing.get_type_hints(member) or name.startswith("_"), name)
        self.assertGreater(seen, 30)
        self.assertIn("damping", typing.get_type_hints(Graph.pagerank))

    def test_hints_of_older_versions(self):
        """Before Python 3.11 there is no Unpack."""
        with mock.patch.object(sys, "version_info", (3, 9)):
            old = {"__name__": "old"}
            exec(inspect.getsource(_typing), old)
        self.assertIs(old["Unpack"][int], typing.Any)


class BinaryTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "garaph")

    def script(self, text):
        with open(self.path, "w") as f:
            f.write("#!/bin/sh\n" + text)
        os.chmod(self.path, stat.S_IRWXU)
        return mock.patch.dict(os.environ, {"GARAPH": self.path})

    def test_missing(self):
        with mock.patch.dict(os.environ, {"GARAPH": "/nonexistent"}), self.assertRaisesRegex(garaph.GaraphError, r"\$GARAPH is /nonexistent"):
            Graph.from_edges([1], [2])
        with mock.patch.dict(os.environ, {"PATH": "/nonexistent"}), mock.patch("os.access", return_value=False):
            os.environ.pop("GARAPH", None)
            with self.assertRaisesRegex(garaph.GaraphError, "install a wheel"):
                Graph.from_edges([1], [2])

    def test_found_on_path(self):
        with self.script(""), mock.patch.dict(os.environ, {"PATH": os.path.dirname(self.path)}):
            del os.environ["GARAPH"]
            with mock.patch("os.access", lambda path, mode: not path.endswith("bin/garaph") and os.path.exists(path)):
                self.assertEqual(_binary.find(), self.path)

    def test_another(self):
        with self.script("echo no such command >&2; exit 2"), self.assertRaisesRegex(garaph.GaraphError, "is no garaph, or one that is older.*no such command"):
            Graph.from_edges([1], [2])

    def test_older(self):
        with self.script("""echo '{"version": "garaph v0.0.1", "programs": []}'"""), self.assertRaisesRegex(garaph.GaraphError, "v0.0.1.*has no --lifeline-fd and is older than this package"):
            Graph.from_edges([1], [2])

    def test_older_by_a_flag(self):
        """One that lacks a flag which no list has is known by what it says of it."""
        about = {"version": "v0.9", "programs": [], "run_flags": [], **{group: [{"name": flag, "value": ""}] for group, flag in _binary.NEEDED.items()}}
        says = "echo 'garaph: unknown flag: --python-ids: import has --force' >&2; exit 2"
        with self.script(f"test $1 = import || exec echo '{json.dumps(about)}'\n{says}"):
            with self.assertRaisesRegex(garaph.GaraphError, r"garaph \(v0.9\) has no --python-ids and is older than this package: install a newer one") as caught:
                Graph.from_edges(["a"], ["b"], vertices=["a", "b"], path=self.path + ".graph")
        self.assertNotIsInstance(caught.exception, garaph.UsageError)

    def test_starts_at_once(self):
        """The command from a wheel waits for no NumPy."""
        code = "import sys, garaph.__main__; assert 'numpy' not in sys.modules; from garaph import *; assert 'numpy' in sys.modules and 'Graph' in dir(garaph); print(Graph.__name__)"
        self.assertEqual(subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True).stdout, b"Graph\n")
        with self.assertRaises(AttributeError):
            garaph.Grpah


class ProcessTest(unittest.TestCase):
    def run_script(self, text, **options):
        return _process.Run("/bin/sh", ["-c", text], options.get("feed"), False)

    def setUp(self):
        # A shell in place of the command: it is given the flags that Run adds.
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "command")

    def command(self, text, feed=None, progress=False):
        with open(self.path, "w") as f:
            f.write("#!/bin/sh\n" + text)
        os.chmod(self.path, stat.S_IRWXU)
        return _process.Run(self.path, ["x"], feed, progress)

    def test_failures(self):
        with self.assertRaisesRegex(garaph.GaraphError, "^what went wrong$"):
            self.command("""echo '{"level":"error","message":"command: what went wrong","exit":1}' >&2; exit 1""").output()
        with self.assertRaisesRegex(garaph.UsageError, "^unknown flag$"):
            self.command("""echo '{"level":"error","message":"command: unknown flag See `garaph x --help`.","exit":2}' >&2; exit 2""").output()
        with self.assertRaisesRegex(garaph.UsageError, "^unknown flag$"):
            self.command(r"printf 'command: unknown flag\nSee `garaph x --help`.\n' >&2; exit 2").output()
        with self.assertRaisesRegex(garaph.GaraphError, "killed by SIGKILL, perhaps for lack of memory"):
            self.command("kill -9 $$").output()
        with self.assertRaisesRegex(garaph.GaraphError, "cannot be run"):
            _process.Run("/nonexistent/garaph", ["x"], None, False)

    def test_feed(self):
        chunks = [np.arange(i * 100_000, (i + 1) * 100_000) for i in range(5)]
        self.assertEqual(self.command("exec wc -c", feed=iter(chunks)).output().strip(), b"4000000")
        self.assertEqual(self.command("head -c 8", feed=iter(chunks)).output(), bytes(8))  # and reads no more

    def test_broken_feed(self):
        def broken():
            yield np.zeros(8)
            raise MemoryError("no room")

        with self.assertRaisesRegex(MemoryError, "no room"):
            self.command("exec cat", feed=broken()).output()

    def test_forked(self):
        """A fork of Python amid the edges holds no end of a pipe: the command reaches the end of its input."""

        def forks():
            yield np.zeros(8)
            child = os.fork()
            if child == 0:
                time.sleep(60)
                os._exit(0)
            forked.append(child)
            yield np.zeros(8)

        forked = []
        self.assertEqual(self.command("exec wc -c", feed=forks()).output().strip(), b"128")
        self.assertEqual(os.waitpid(forked[0], os.WNOHANG), (0, 0), "the command ended with the fork")
        os.kill(forked[0], signal.SIGKILL)
        os.waitpid(forked[0], 0)

    def test_fork_that_returns(self):
        """A fork within the function that is shown the progress has no command to wait for, and none to end."""
        update = """for a; do case $a in --progress-fd=*) echo '{}' > /dev/fd/${a#*=};; esac; done; sleep 1; echo done"""
        this, forked = os.getpid(), []
        try:
            out = self.command(update, progress=lambda _: forked.append(os.fork())).output()
        except BaseException as err:
            if os.getpid() == this:
                raise
            os._exit(0 if "this is a fork" in str(err) else 1)
        self.assertEqual((out, os.waitpid(forked[0], 0)[1]), (b"done\n", 0))

    def test_lines(self):
        lines, rest = [], bytearray()
        for data in (b"a", b"b\nc", b"\n\nd"):
            _process.whole(rest, data, lines.append)
        self.assertEqual((lines, rest), ([b"ab", b"c"], b"d"))


class ProgressTest(unittest.TestCase):
    updates = [
        {"state": state, "phase": "pagerank", "done": done, "total": 9, "unit": "iterations", "rate": 2, "eta": 3}
        for state, done in (("begin", 0), ("running", 4), ("end", 9))
    ]  # fmt: skip

    def show(self, display):
        with mock.patch.object(_progress, "PATIENCE", 0):
            for update in [*self.updates, None]:
                display(update)

    def test_line(self):
        out = io.StringIO()
        self.show(_progress.Line(out))
        self.assertIn("\rpagerank: 4 of 9 iterations, 2 a second, 3 s left at most", out.getvalue())
        self.assertTrue(out.getvalue().endswith(" \r"))

    def test_quiet(self):
        """Nothing is shown of a job that is over at once."""
        out = io.StringIO()
        line = _progress.Line(out)
        for update in [*self.updates, None]:
            line(update)
        self.assertEqual(out.getvalue(), "")

    def test_notebook(self):
        class ZMQInteractiveShell:
            pass

        shown = []
        handle = types.SimpleNamespace(update=lambda what: shown.append(repr(what)))

        def show(what, display_id):
            shown.append(repr(what))
            return handle

        ipython = types.SimpleNamespace(get_ipython=ZMQInteractiveShell)
        with mock.patch.dict(sys.modules, {"IPython": ipython, "IPython.display": types.SimpleNamespace(display=show), "tqdm": None, "tqdm.auto": None}):
            self.assertTrue(_progress.in_notebook())
            self.show(_progress.display(None))
        self.assertEqual(len(shown), 3)
        self.assertIn("4 of 9 iterations", shown[1])

    def test_tqdm(self):
        bars = []

        class Bar:
            def __init__(self, **options):
                self.options, self.n, self.closed = options, 0, False
                bars.append(self)

            def refresh(self):
                pass

            def close(self):
                self.closed = True

        self.show(_progress.Bars(Bar))
        self.assertEqual([(b.options["desc"], b.options["total"], b.n, b.closed) for b in bars], [("pagerank", 9, 9, True)])

"""The session of docs/python.md, and the example of README.md."""

import contextlib
import doctest
import glob
import io
import os
import re
import shutil
import tempfile
import unittest

from .common import need

DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs")


def blocks(path):
    """Return the Python blocks of a page."""
    with open(path, encoding="utf-8") as f:
        return re.findall(r"^```python\n(.*?)^```$", f.read(), re.S | re.M)


class TutorialTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)

    @need("numpy", "pandas", "scipy", "networkx")
    def test_page(self):
        text = blocks(os.path.join(DOCS, "python.md"))
        try:
            import matplotlib
        except ImportError:
            text = [block for block in text if "plt." not in block]
        else:
            matplotlib.use("agg")
        test = doctest.DocTestParser().get_doctest("\n".join(text), {}, "python.md", "docs/python.md", 0)
        said = []
        result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=said.append)
        self.assertGreater(result.attempted, 20)
        self.assertEqual(result.failed, 0, "".join(said))
        if os.environ.get("GARAPH_PLOTS"):  # to where the page shows them
            for plot in glob.glob("*.png"):
                shutil.copy(plot, DOCS)

    @need("pandas")
    def test_readme(self):
        for path in (os.path.join(DOCS, "..", "README.md"), os.path.join(DOCS, "..", "python", "README.md")):
            (code,) = blocks(path)
            self.assertLessEqual(len(code.splitlines()), 10)
            found = {}
            with contextlib.redirect_stdout(io.StringIO()):
                exec(code, found)
            self.assertEqual(found["minutes"].to_dict(), {"Basel": 0, "Bern": 55, "Zürich": 53, "Brig": 121, "Milano": 251})

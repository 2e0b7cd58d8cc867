"""garaph: graph algorithms on one machine, on graphs larger than memory, from Python.

>>> import garaph
>>> g = garaph.Graph.from_edges(["a", "b", "c"], ["b", "c", "a"])
>>> g.as_dicts().bfs(source="a")
{'a': 0, 'b': 1, 'c': 2}

The work is done by the command garaph, in a process of its own.
"""

from ._errors import GaraphError, GaraphWarning, Interrupted, UsageError
from ._graph import Graph
from ._version import __version__

__all__ = ["Graph", "GaraphError", "GaraphWarning", "Interrupted", "UsageError", "__version__"]

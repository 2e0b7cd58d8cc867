"""garaph: graph algorithms on one machine, on graphs larger than memory, from Python.

>>> import garaph
>>> g = garaph.Graph.from_edges(["a", "b", "c"], ["b", "c", "a"])
>>> g.as_dicts().bfs(source="a")
{'a': 0, 'b': 1, 'c': 2}

The work is done by the command garaph, in a process of its own.
"""

from typing import TYPE_CHECKING, Any, List

from ._errors import GaraphError, GaraphWarning, Interrupted, NoPath, UsageError
from ._version import __version__

if TYPE_CHECKING:
    from ._graph import Graph

__all__ = ["Graph", "GaraphError", "GaraphWarning", "Interrupted", "NoPath", "UsageError", "__version__"]


def __getattr__(name: str) -> Any:
    """Import Graph, and NumPy with it, when it is asked for: the command starts without them."""
    if name != "Graph":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ._graph import Graph

    globals()[name] = Graph
    return Graph


def __dir__() -> List[str]:
    return sorted({*globals(), *__all__})

"""Parameters of Python as flags of the command."""

from __future__ import annotations

import datetime
import difflib
import os
from typing import Any, Callable, Dict, Iterable, List

import numpy as np

from ._errors import UsageError

# What a run prints and where, and when it goes on, is this package's own affair.
OWN = {"output", "output_format", "top", "json", "scratch", "resume"}

# Flags of garaph import that garaph run has under other headings.
IMPORT = [
    {"name": "threads", "value": "N"},
    {"name": "memory", "value": "SIZE"},
    {"name": "force", "value": ""},
]


# Flags of garaph community that are parameters; no list of the command has them.
COMMUNITY = [
    {"name": "min-size", "value": "N"}, {"name": "max-size", "value": "N"}, {"name": "time-limit", "value": "TIME"},
    {"name": "threads", "value": "N"}, {"name": "memory", "value": "SIZE"}, {"name": "device", "value": "auto|cpu|gpu"},
    {"name": "gpu", "value": "NAME"}, {"name": "gpu-memory", "value": "SIZE"}, {"name": "report", "value": "FILE"},
]  # fmt: skip


def identifier(flag: str) -> str:
    """Return the name that a flag has in Python.

    >>> identifier("checkpoint-every")
    'checkpoint_every'
    """
    return flag.replace("-", "_")


def arguments(what: str, specs: Iterable[Dict[str, Any]], values: Dict[str, Any], vertex: Callable[[str, Any], List[str]], also: Iterable[str] = ()) -> List[str]:
    """Return flags for values, by the flags that there are. What is None is left out. The
    parameters that are also there are told where there is none of a name.

    >>> arguments("f()", [{"name": "k", "value": "N"}, {"name": "fast", "value": ""}], {"k": 3, "fast": True}, None)
    ['--k=3', '--fast']
    """
    known = {identifier(spec["name"]): spec for spec in specs}
    result: List[str] = []
    for name, value in values.items():
        if name not in known:
            raise TypeError(unexpected(what, name, [*also, *known]))
        if value is not None:
            spec = known[name]
            result += [f"--{spec['name']}{text}" for text in texts(name, spec["value"], value, vertex)]
    return result


def unexpected(what: str, name: str, known: List[str]) -> str:
    """Return the error of a parameter that there is not.

    >>> unexpected("sssp()", "sorce", ["source", "precision"])
    "sssp() has no parameter 'sorce': did you mean source?"
    """
    return f"{what} has no parameter {name!r}: " + (nearest(name, known) or "it has " + ", ".join(known))


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the question whether a name that is like another was meant; nothing if none is.

    >>> nearest("weights", ["source", "weight"])
    'did you mean weight?'
    """
    like = difflib.get_close_matches(name, known, 1)
    return f"did you mean {like[0]}?" if like else ""


def texts(name: str, kind: str, value: Any, vertex: Callable[[str, Any], List[str]]) -> List[str]:
    """Return what stands behind a flag, once for each time that it is given. Its kind is
    the word for its value in the help.
    """
    if kind == "":
        if not isinstance(value, (bool, np.bool_)):
            raise TypeError(f"{name} is True or False, not {value!r}")
        return [""] if value else []
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is no switch: expected a value, not {value!r}")
    if kind == "ID":
        return [f"={v}" for v in vertex(name, value)]
    if kind == "TIME":
        return [f"={value.total_seconds() if isinstance(value, datetime.timedelta) else value}s" if not isinstance(value, str) else f"={value}"]
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if kind == "FILE" and not isinstance(value, str):
        raise TypeError(f"{name}: expected the name of a file, not {value!r}" + (": vertices are given as source, one or a list" if name == "sources" else ""))
    if isinstance(value, (list, tuple)):
        value = columns(value)
    if isinstance(value, (float, np.floating)):
        value = repr(float(value))
    if not isinstance(value, (str, int, np.integer)):
        raise TypeError(f"{name}: expected {kind}, not {value!r}")
    return [f"={value}"]


def columns(names: Iterable[Any]) -> str:
    """Return a list as a line of CSV.

    >>> columns(["from, where", "to"])
    '"from, where","to"'
    """
    return ",".join('"' + str(name).replace('"', '""') + '"' for name in names)


def several(value: Any) -> bool:
    """Report whether a value is many ids and not one: a tuple is one, as that of a grid is."""
    return not isinstance(value, (str, bytes, tuple)) and hasattr(value, "__iter__") or isinstance(value, np.ndarray)


def plain_vertex(name: str, value: Any, names: bool = False) -> List[str]:
    """Return vertices of a graph whose ids the command knows, as it writes them; they may have to be names."""
    ids = list(value) if several(value) else [value]
    for x in ids:
        if not isinstance(x, str) and (names or isinstance(x, (bool, np.bool_)) or not isinstance(x, (int, np.integer))):
            raise UsageError(f"{name}: {x!r} is no id of a vertex: the ids of this graph are " + ("" if names else "integers or ") + "strings")
    return [str(x) for x in ids]

"""What the command says, in the words of who called it from Python."""

from __future__ import annotations

import re
from typing import Any, Dict, Mapping

from . import _binary
from ._errors import GaraphError
from ._parameters import COMMUNITY, IMPORT, identifier

_WRONG = re.compile(r'invalid argument "(.*)" for "(?:-\w, )?--([a-z][a-z0-9-]*)" flag: (.*)', re.S)

_FLAG = re.compile(r"(?<![\w-])--([a-z][a-z0-9-]*[a-z0-9]|[a-z])(?:(=| )('[^']*'|(?!--)[^\s;:)`]+))?")

_BESIDE = re.compile(r"(=(?:'[^']*'|\w+)) (?=[a-z_]+=)")

# Values that stand behind flags, by the word for them in the help.
_NUMBER = r"-?[0-9][0-9.]*([KMGT]i?B|[a-z]+)?"
_VALUES = {"N": _NUMBER, "X": _NUMBER, "SIZE": _NUMBER, "TIME": _NUMBER, "CHAR": r"tab|space|\W", "NAME": "[0-9]+|emulated", "SRC,DST[,WEIGHT]": ".+,.+"}


def specs(path: str) -> Dict[str, Dict[str, Any]]:
    """Return all flags of a command by their names; none if it cannot say them."""
    try:
        about = _binary.programs(path)
    except GaraphError:
        return {}
    lists = [IMPORT, COMMUNITY] + [p["flags"] for p in about["programs"]] + [about[group] for group in ("run_flags", "import_flags", "common_flags")]
    return {flag["name"]: flag for flags in lists for flag in flags}


def in_python(text: str, flags: Mapping[str, Mapping[str, Any]]) -> str:
    """Return a message with parameters in place of flags.

    >>> flags = {"top-k": {"value": "N"}, "mode": {"value": "MODE", "words": ["sync"]}, "undirected": {"value": ""}}
    >>> in_python("--top-k 3 needs --mode sync or --top-k N, not --other; import it with --undirected", flags)
    "top_k=3 needs mode='sync' or top_k, not --other; import it with directed=False"
    >>> flags = {"columns": {"value": "SRC,DST[,WEIGHT]"}, "delimiter": {"value": "CHAR"}, "header": {"value": ""}}
    >>> in_python("use --columns 1,2, or --columns 'a b,c'; --columns SRC,DST[,WEIGHT] to choose", flags)
    "use columns='1,2', or columns='a b,c'; columns to choose"
    >>> in_python("use --delimiter ';' --header --columns a,b", flags)
    "use delimiter=';', header=True, columns='a,b'"
    >>> flags = {"top-k": {"value": "N"}}
    >>> in_python('invalid argument "x" for "--top-k" flag: expected a number', flags)
    "top_k: expected a number, not 'x'"
    """

    def literal(value: str) -> str:
        return value if re.fullmatch("-?[0-9]+([.][0-9]+)?", value) else repr(value)

    def parameter(found: re.Match[str]) -> str:
        name, between, value = found.groups()
        rest = (between or "") + (value or "")
        if name == "undirected":
            return "directed=False" + rest
        if name not in flags:
            return found[0]
        spec, python = flags[name], identifier(name)
        if spec["value"] == "":
            return python + "=True" + rest
        if value is None:
            return python
        plain = value.rstrip(".,") or value
        if value.startswith("'"):
            plain = value = value[1:-1]
        if plain == spec["value"]:
            return python + value[len(plain) :]
        given = plain in (spec.get("words") or ()) or re.fullmatch(_VALUES.get(spec["value"], "(?!)"), plain)
        if between == "=" or given:
            return f"{python}={literal(plain)}" + value[len(plain) :]
        return python + rest

    wrong = _WRONG.fullmatch(text)
    if wrong is not None and wrong[2] in flags:
        return f"{identifier(wrong[2])}: {in_python(wrong[3], flags)}, not {literal(wrong[1])}"
    return _BESIDE.sub(r"\1, ", _FLAG.sub(parameter, text))

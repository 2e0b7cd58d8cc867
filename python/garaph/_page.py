"""The page of a run over a graph whose ids Python alone knows: the command writes numbers, which get their names here."""

from __future__ import annotations

import json
import os
import re
from typing import Any, Dict, List

from ._index import Index

_DATA = "const page = "

# So many vertices of a list are shown.
_SOME = 10


def name_vertices(path: Any, index: Index, given: Dict[str, Any]) -> None:
    """Put ids into the tables of a page in place of numbers, and what was given as parameters in place of what the
    command was given.
    """
    if not os.path.isfile(path):  # /dev/null
        return
    with open(path, encoding="utf-8") as f:
        head, mark, rest = f.read().partition(_DATA)
    page, end = json.JSONDecoder().raw_decode(rest)
    for section in page["Sections"]:
        for fact in section["Facts"] or []:
            if fact[0] == "Parameters":
                fact[1] = _with_given(fact[1], given)
        _name_table(section["Table"]["Columns"] or [], section["Table"]["Rows"] or [], index)
    text = json.dumps(page)
    for mark_up in "<>&":  # which would end the script
        text = text.replace(mark_up, f"\\u{ord(mark_up):04x}")
    with open(path, "w", encoding="utf-8") as f:
        f.write(head + mark + text + rest[end:])


def _with_given(text: str, given: Dict[str, Any]) -> str:
    for name, value in given.items():
        if isinstance(value, list):
            value = ", ".join(map(str, value[:_SOME])) + (f" and {len(value) - _SOME:,} others" if len(value) > _SOME else "")
        text = re.sub(rf"(^|, ){re.escape(name)} [^,]*", lambda found, new=f"{name} {value}": found[1] + new, text)
    return text


def _name_table(columns: List[str], rows: List[List[str]], index: Index) -> None:
    def named(number: str) -> str:
        return str(index.ids[int(number)]) if number.isdigit() else number

    for i, column in enumerate(columns):
        columns[i] = re.sub(r" to .* first, of those reached\)$", " first, of those reached)", column)  # the sources
        if column in ("id", "query") or column.endswith("(of the first vertices)"):
            for row in rows:
                row[i] = named(row[i])
        elif column == "members":
            for row in rows:
                row[i] = ", ".join(map(named, row[i].split(", ")))

"""Values of vertices, as arrays, Series and dictionaries under the user's ids."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Optional

import numpy as np

from ._errors import GaraphError
from ._index import Index


class Column:
    """A column of results: numbers or vertices, and which of them are null."""

    def __init__(self, name: str, kind: str, values: np.ndarray, null: Optional[np.ndarray]) -> None:
        self.name, self.kind, self.values, self.null = name, kind, values, null

    def array(self) -> np.ndarray:
        """Return the values as an array: null is NaN, and None where values are vertices.

        Integers that may be null are floats, whether some are null or not.
        """
        if self.null is None:
            return self.values
        if self.kind == "vertex id":
            values = self.values.astype(object)
            values[self.null] = None
            return values
        values = self.values if self.values.dtype.kind == "f" else self.values.astype(np.float64)
        values[self.null] = np.nan
        return values

    def series(self, pandas: Any, index: Any) -> Any:
        """Return the values as a Series: null is NaN in floats, and NA in integers."""
        values: Any = self.array() if self.null is None or self.values.dtype.kind not in "iu" else None
        if values is None:
            values = pandas.arrays.IntegerArray(np.where(self.null, 0, self.values), self.null)
        return pandas.Series(values, index=index, name=self.name)

    def items(self) -> List[Any]:
        """Return the values as Python's own: null is None."""
        values = self.values.tolist()
        if self.null is not None:
            for i in np.flatnonzero(self.null):
                values[i] = None
        return values


class Table:
    """The results of a run, read from an npy file, which is gone then.

    Memory is that of the columns: the file is mapped, and its rows are copied into them.
    """

    def __init__(self, path: str, report: Dict[str, Any], index: Optional[Index], want_ids: bool) -> None:
        rows = np.load(path, mmap_mode="r", allow_pickle=False)
        os.unlink(path)
        key = rows.dtype.names[0]
        self.keyed = key != "id"
        """Whether rows are not those of the vertices, but edges or others."""
        if index is not None and len(index) != len(rows) and not self.keyed:
            raise GaraphError(f"the graph has {len(rows):,} vertices now, and had {len(index):,} when it was opened: was it replaced?")
        self.report = report
        self.ids = np.array(rows["id"]) if want_ids and not self.keyed else None
        self.columns: List[Column] = []
        keys = [{"name": key, "kind": "vertex id", "nullable": False}] if self.keyed else []
        for c in keys + report["columns"]:
            values, null = np.array(rows[c["name"]]), None
            if c["nullable"]:
                null = np.array(rows[c["name"] + "_null"])
            if c["kind"] == "vertex id" and index is not None:
                if null is not None:
                    values[null] = 0
                values = index.ids[values]
            self.columns.append(Column(c["name"], c["kind"], values, null))

    def arrays(self) -> Any:
        """Return the array of the column, or a dictionary of those of several."""
        if len(self.columns) == 1:
            return self.columns[0].array()
        return {c.name: c.array() for c in self.columns}

    def frame(self, pandas: Any, index: Any) -> Any:
        """Return the Series of the column, or a DataFrame of several."""
        all_series = [c.series(pandas, None if self.keyed else index) for c in self.columns]
        if len(all_series) == 1:
            return all_series[0]
        return pandas.DataFrame({s.name: s for s in all_series})

    def dictionary(self, ids: np.ndarray) -> Any:
        """Return value by id; of several columns, dictionaries by name; of other rows than vertices, a list of these."""
        if len(self.columns) == 1:
            return dict(zip(ids.tolist(), self.columns[0].items()))
        names = [c.name for c in self.columns]
        if self.keyed:
            return [dict(zip(names, row)) for row in zip(*(c.items() for c in self.columns))]
        return {i: dict(zip(names, row)) for i, row in zip(ids.tolist(), zip(*(c.items() for c in self.columns)))}

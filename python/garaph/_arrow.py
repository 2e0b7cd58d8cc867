"""Columns as a stream of Arrow IPC, which the command reads: for ids of 64 bits, and names.

A message is a table of FlatBuffers, padded to 8 bytes, behind its length; the columns of a
record batch follow it. See "Serialization and Interprocess Communication" of the format.
"""

from __future__ import annotations

import struct
from typing import Callable, Dict, Iterator, List, Sequence, Tuple, Union

import numpy as np

from . import _names

# Of the format: the version V5, and the kinds of messages and types.
_V5, _SCHEMA, _BATCH, _INT, _FLOAT, _TEXT = 4, 1, 3, 2, 3, 5

_END = b"\xff\xff\xff\xff\0\0\0\0"

Child = Callable[["_Flat"], int]
"""Writes what a field leads to, and returns where that lies."""

Slot = Union[None, Tuple[str, int], Child]
"""A field of a table: none, a number with its format, or a child."""


class _Flat:
    """A buffer of FlatBuffers, written from its root on: whatever leads to something lies before it."""

    def __init__(self, root: Child) -> None:
        self.data = bytearray(8)
        struct.pack_into("<I", self.data, 0, root(self))
        self.align(8)

    def align(self, size: int, ahead: int = 0) -> None:
        """Pad, so that what comes after so many bytes more lies at a multiple of size."""
        self.data += bytes(-(len(self.data) + ahead) % size)

    def table(self, *slots: Slot) -> int:
        """Write a table, behind the list of where its fields lie in it."""
        at, size = [], 4
        for slot in slots:
            width = 0 if slot is None else struct.calcsize(slot[0]) if isinstance(slot, tuple) else 4
            size += -size % (width or 1)
            at.append(size if width else 0)
            size += width
        self.align(8, 4 + 2 * len(slots))
        fields = len(self.data)
        self.data += struct.pack(f"<HH{len(slots)}H", 4 + 2 * len(slots), size, *at)
        start = len(self.data)
        self.data += struct.pack("<i", start - fields) + bytes(size - 4)
        for slot, where in zip(slots, at):
            if isinstance(slot, tuple):
                struct.pack_into("<" + slot[0], self.data, start + where, slot[1])
            elif slot is not None:
                self.lead(start + where, slot(self))
        return start

    def lead(self, field: int, to: int) -> None:
        struct.pack_into("<I", self.data, field, to - field)

    def tables(self, *children: Child) -> int:
        """Write a list of tables."""
        self.align(4)
        start = len(self.data)
        self.data += struct.pack("<I", len(children)) + bytes(4 * len(children))
        for i, child in enumerate(children):
            self.lead(start + 4 + 4 * i, child(self))
        return start

    def numbers(self, pairs: Sequence[Tuple[int, int]]) -> int:
        """Write a list of pairs of 64-bit numbers."""
        self.align(8, 4)
        start = len(self.data)
        self.data += struct.pack("<I", len(pairs)) + b"".join(struct.pack("<qq", *p) for p in pairs)
        return start

    def text(self, text: str) -> int:
        self.align(4)
        start, raw = len(self.data), text.encode()
        self.data += struct.pack("<I", len(raw)) + raw + b"\0"
        return start


def _message(kind: int, header: Child, body: int) -> bytes:
    flat = _Flat(lambda f: f.table(("h", _V5), ("B", kind), header, ("q", body)))
    return struct.pack("<iI", -1, len(flat.data)) + flat.data


def _column(name: str, dtype: np.dtype) -> Child:
    """Return the field of a column of a schema, without nulls."""
    if dtype.kind == "f":
        kind: int = _FLOAT
        detail: Child = lambda f: f.table(("h", {4: 1, 8: 2}[dtype.itemsize]))  # noqa: E731
    elif dtype.kind == "O":
        kind, detail = _TEXT, lambda f: f.table()
    else:
        kind, detail = _INT, lambda f: f.table(("i", 8 * dtype.itemsize), ("?", dtype.kind == "i"))
    return lambda f: f.table(lambda f: f.text(name), ("?", False), ("B", kind), detail, None, lambda f: f.tables())


def stream(columns: Dict[str, Tuple[np.ndarray, np.dtype]], rows: int) -> Iterator[Union[bytes, np.ndarray]]:
    """Yield columns of integers, floats and strings, each as the type beside it, as a stream in batches of so
    many rows; the type of strings is object, whatever their array is.

    >>> whole = b"".join(bytes(part) for part in stream({"id": (np.arange(3), np.dtype("<i8"))}, 2))
    >>> len(whole) % 8, whole[:4] == whole[-8:-4]
    (0, True)
    """
    fields = [_column(name, dtype) for name, (_, dtype) in columns.items()]
    yield _message(_SCHEMA, lambda f: f.table(None, lambda f: f.tables(*fields)), 0)
    total = min(len(values) for values, _ in columns.values())
    for at in range(0, total, rows):
        parts = [_buffers(values[at : at + rows], dtype) for values, dtype in columns.values()]
        yield _batch(min(rows, total - at), [[len(b) for b in part] for part in parts])
        for part in parts:
            for buffer in part:
                yield buffer
                yield bytes(-len(buffer) % 8)
    yield _END


def _buffers(values: np.ndarray, dtype: np.dtype) -> List[Union[bytes, np.ndarray]]:
    """Return the bytes of a part of a column."""
    if dtype.kind == "O":
        offsets, text = _names.encoded(values)
        return [offsets.astype("<i4", copy=False).view(np.uint8), text]
    return [np.ascontiguousarray(values, dtype).view(np.uint8)]


def _batch(count: int, columns: Sequence[Sequence[int]]) -> bytes:
    """Return the head of a record batch: where the buffers of its columns lie behind it."""
    buffers, end = [], 0
    for sizes in columns:
        buffers.append((end, 0))  # nothing says which are null
        for size in sizes:
            buffers.append((end, size))
            end += size + -size % 8
    return _message(_BATCH, lambda f: f.table(("q", count), lambda f: f.numbers([(count, 0)] * len(columns)), lambda f: f.numbers(buffers)), end)

"""Folders of temporary graphs and of values on their way, and what is left of them where Python was killed.

The protocol is that of the command for its own: a mark in the folder, which its owner
has locked. So each removes what the other has left.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import random
import shutil
import tempfile
import weakref
from typing import Any, Optional

_PREFIX, _MARK = "garaph-job-", "GARAPH-TEMPORARY"
_TEXT = "garaph, temporary graph of a run; may be removed\n"


class Scratch:
    """A folder that goes with this object, and with the process at the latest."""

    def __init__(self) -> None:
        parent = tempfile.gettempdir()
        remove_killed(parent)
        while True:
            self.path = os.path.join(parent, _PREFIX + str(random.randrange(10**9, 10**10)))
            try:
                os.mkdir(self.path, 0o700)
            except FileExistsError:
                continue
            lock = _lock(self.path)
            if lock is not None:
                break
            with contextlib.suppress(OSError):  # another process looks whether it was left
                os.rmdir(self.path)
        with open(os.path.join(self.path, _MARK), "w") as f:
            f.write(_TEXT)
        self._finalizer = weakref.finalize(self, _remove, self.path, lock, os.getpid())

    def remove(self) -> None:
        self._finalizer()

    def __enter__(self) -> str:
        return self.path

    def __exit__(self, *_: Any) -> None:
        self.remove()


def _lock(path: str) -> Optional[int]:
    """Lock a folder; None if somebody else has, or it is gone."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(fd), os.lstat(path)):
            return fd
    except OSError:
        pass
    os.close(fd)
    return None


def _remove(path: str, lock: int, owner: int) -> None:
    """Remove a folder, its mark last: what is left of a removal that is killed is known as ours."""
    if os.getpid() != owner:  # a fork of the owner
        return
    for name in os.listdir(path) if os.path.isdir(path) else []:
        if name != _MARK:
            whole = os.path.join(path, name)
            if os.path.isdir(whole) and not os.path.islink(whole):
                shutil.rmtree(whole, ignore_errors=True)
            else:
                with contextlib.suppress(FileNotFoundError):  # a command that ends with its Python removes it, too
                    os.unlink(whole)
    shutil.rmtree(path, ignore_errors=True)
    os.close(lock)


def remove_killed(parent: str) -> None:
    """Remove the folders of this user's processes that were killed."""
    for entry in os.scandir(parent):
        digits = entry.name[len(_PREFIX) :]
        ours = entry.name.startswith(_PREFIX) and digits.isdigit() and entry.is_dir(follow_symlinks=False)
        try:
            if not ours or entry.stat(follow_symlinks=False).st_uid != os.getuid():
                continue
        except FileNotFoundError:  # its owner has removed it by now
            continue
        lock = _lock(entry.path)
        if lock is None:
            continue  # its owner lives
        try:
            with open(os.path.join(entry.path, _MARK)) as f:
                marked = f.read(len(_TEXT) + 1) == _TEXT
        except OSError:
            marked = False
        if marked:
            _remove(entry.path, lock, os.getpid())
        else:
            os.close(lock)

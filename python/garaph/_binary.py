"""The command that does the work: where it is, and what it can do."""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
from typing import Any, Dict, List, Optional

from ._errors import GaraphError

# What this package asks of the command, and its older versions have not.
NEEDED = {"common_flags": "lifeline-fd", "import_flags": "vertices"}


def find() -> str:
    """Return the path of the command: $GARAPH, or the one that the wheel carries, or
    that of $PATH.
    """
    given = os.environ.get("GARAPH")
    if given:
        path = shutil.which(given)
        if path is None:
            raise GaraphError(f"$GARAPH is {given}, which is no file that can be run: correct or unset it")
        return path
    carried = os.path.join(os.path.dirname(__file__), "bin", "garaph")
    if os.access(carried, os.X_OK):
        return carried
    path = shutil.which("garaph")
    if path is None:
        raise GaraphError(
            "the command garaph is neither in this package nor on the PATH: "
            "install a wheel for this platform, or the command, or name it in $GARAPH"
        )
    return path


def programs(path: str) -> Dict[str, Any]:
    """Return what `garaph programs --json` says of a command: programs and their flags."""
    status = os.stat(path)
    return _programs(path, status.st_mtime_ns, status.st_size)


@functools.lru_cache(maxsize=8)
def _programs(path: str, _changed: int, _size: int) -> Dict[str, Any]:
    try:
        child = subprocess.run([path, "programs", "--json"], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except OSError as err:
        raise GaraphError(f"{path} cannot be run: {err}") from err
    try:
        about = json.loads(child.stdout)
    except ValueError:
        about = None
    if child.returncode != 0 or not isinstance(about, dict):
        said = child.stderr.decode(errors="replace").strip()
        raise GaraphError(f"{path} is no garaph, or one that is older than this package: garaph programs --json: {said or 'no answer'}")
    for group, flag in NEEDED.items():
        if flag not in (f["name"] for f in about.get(group, ())):
            raise GaraphError(older(path, about, flag))
    return about


def older(path: str, about: Dict[str, Any], flag: str) -> str:
    """Return the message that a command is too old, as a flag shows that this package gives it."""
    version = about.get("version", "of unknown version")
    return f"{path} ({version}) has no --{flag} and is older than this package: install a newer one, or name it in $GARAPH"


def program(path: str, name: str) -> Optional[Dict[str, Any]]:
    """Return what a command says of a program; None if it has none of that name."""
    for about in programs(path)["programs"]:
        if about["name"] == name:
            return about
    return None


def flags(path: str, group: str) -> List[Dict[str, Any]]:
    """Return a group of flags: of every run, of an import or of every command."""
    return programs(path)[group]

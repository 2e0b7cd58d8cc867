"""What can go wrong, as exceptions."""

from __future__ import annotations

import os
import sys
import warnings

__all__ = ["GaraphError", "GaraphWarning", "Interrupted", "NoPath", "UsageError"]


class GaraphError(RuntimeError):
    """A job failed; the message is that of the command."""


class UsageError(GaraphError, ValueError):
    """What was asked for cannot be: a parameter, an id or an array is wrong."""


class NoPath(GaraphError):
    """No path leads from one vertex to another."""


class Interrupted(KeyboardInterrupt):
    """A job was ended by Ctrl-C, in order; the message says how it goes on."""


class GaraphWarning(UserWarning):
    """The command warned of something."""


def warn(message: str) -> None:
    """Warn at the line of the caller's code, and not at one of this package."""
    here, level, frame = os.path.dirname(__file__), 1, sys._getframe()
    while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) == here:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, GaraphWarning, stacklevel=level)

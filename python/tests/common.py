"""What tests share."""

import importlib
import unittest


def need(*modules):
    """Return a decorator that skips tests where modules are missing."""
    for name in modules:
        try:
            importlib.import_module(name)
        except ImportError:
            return unittest.skip(f"{name} is not installed")
    return lambda test: test

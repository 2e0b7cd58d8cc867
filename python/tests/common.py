"""What tests share."""

import importlib
import os
import unittest

LONG = bool(os.environ.get("GARAPH_TEST_LONG"))


def need(*modules):
    """Return a decorator that skips tests where modules are missing."""
    for name in modules:
        try:
            importlib.import_module(name)
        except ImportError:
            return unittest.skip(f"{name} is not installed")
    return lambda test: test

"""The version of the package; a wheel has that of its release."""

__version__ = "0.1.0.dev0"

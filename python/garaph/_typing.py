"""Names for annotations. At run time they need none of the packages that they are of, so that
typing.get_type_hints works wherever this package does.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

__all__ = ["DataFrame", "NetworkXGraph", "Series", "Unpack"]

if TYPE_CHECKING:
    import networkx
    import pandas
    from typing_extensions import Unpack

    DataFrame = pandas.DataFrame
    Series = pandas.Series[Any]
    NetworkXGraph = networkx.Graph[Any]
else:
    DataFrame = Series = NetworkXGraph = Any
    if sys.version_info >= (3, 11):
        from typing import Unpack
    else:

        class Unpack:
            """Parameters by name, each of which may be anything."""

            def __class_getitem__(cls, item):
                return Any

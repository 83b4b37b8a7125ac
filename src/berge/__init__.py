"""Matchings in graphs: fast, multicore, and proved.

``import berge`` is quick: numpy, scipy and numba are imported when first needed.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import generate as generate
    from .errors import BergeError as BergeError
    from .errors import DeviceError as DeviceError
    from .errors import FetchError as FetchError
    from .errors import FormatError as FormatError
    from .errors import InvalidGraphError as InvalidGraphError
    from .errors import InvalidMatchingError as InvalidMatchingError
    from .errors import OptionError as OptionError
    from .errors import ProofError as ProofError
    from .graph import BipartiteGraph as BipartiteGraph
    from .graph import Graph as Graph
    from .ingest import as_bipartite as as_bipartite
    from .ingest import as_graph as as_graph
    from .io import read as read
    from .io import write as write
    from .matching import Matching as Matching
    from .matching import SolveStats as SolveStats
    from .proof import Certificate as Certificate
    from .proof import verify as verify
    from .registry import algorithms as algorithms
    from .solve import maximum_matching as maximum_matching

# Public name -> the module it lives in.
_HOME = {
    "BergeError": "errors",
    "DeviceError": "errors",
    "FetchError": "errors",
    "FormatError": "errors",
    "InvalidGraphError": "errors",
    "InvalidMatchingError": "errors",
    "OptionError": "errors",
    "ProofError": "errors",
    "BipartiteGraph": "graph",
    "Graph": "graph",
    "as_bipartite": "ingest",
    "as_graph": "ingest",
    "read": "io",
    "write": "io",
    "Matching": "matching",
    "SolveStats": "matching",
    "algorithms": "registry",
    "maximum_matching": "solve",
    "Certificate": "proof",
    "verify": "proof",
}

__all__ = [*sorted(_HOME), "__version__", "generate"]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    elif name == "generate":
        value = import_module(".generate", __name__)
    elif name == "__version__":
        from importlib.metadata import version

        value = version("berge")
    else:
        raise AttributeError(f"module 'berge' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)

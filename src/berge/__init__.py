"""Matchings in graphs: fast, multicore, and proved.

``import berge`` is quick: numpy, scipy and numba are imported when first needed.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import generate as generate
    from .covers import EdgeRoles as EdgeRoles
    from .covers import edge_roles as edge_roles
    from .covers import maximum_independent_set as maximum_independent_set
    from .covers import minimum_edge_cover as minimum_edge_cover
    from .covers import minimum_vertex_cover as minimum_vertex_cover
    from .decomposition import BlockTriangularForm as BlockTriangularForm
    from .decomposition import DulmageMendelsohn as DulmageMendelsohn
    from .decomposition import block_triangular_form as block_triangular_form
    from .decomposition import dmperm as dmperm
    from .decomposition import dulmage_mendelsohn as dulmage_mendelsohn
    from .errors import BergeError as BergeError
    from .errors import CheckpointError as CheckpointError
    from .errors import ClusterError as ClusterError
    from .errors import DeviceError as DeviceError
    from .errors import FetchError as FetchError
    from .errors import FormatError as FormatError
    from .errors import InvalidGraphError as InvalidGraphError
    from .errors import InvalidMatchingError as InvalidMatchingError
    from .errors import OptionError as OptionError
    from .errors import PeerLost as PeerLost
    from .errors import ProofError as ProofError
    from .graph import BipartiteGraph as BipartiteGraph
    from .graph import Graph as Graph
    from .greedy.matching import GreedyMatching as GreedyMatching
    from .greedy.pipeline import greedy_matching as greedy_matching
    from .ingest import as_bipartite as as_bipartite
    from .ingest import as_graph as as_graph
    from .io import read as read
    from .io import write as write
    from .labels import LabelledMatching as LabelledMatching
    from .labels import Shortage as Shortage
    from .labels import explain_unmatched as explain_unmatched
    from .labels import match_pairs as match_pairs
    from .matching import Matching as Matching
    from .matching import SolveStats as SolveStats
    from .multilevel.coarsening import coarsen as coarsen
    from .multilevel.hierarchy import Hierarchy as Hierarchy
    from .multilevel.hypergraph import coarsen_hypergraph as coarsen_hypergraph
    from .proof import Certificate as Certificate
    from .proof import verify as verify
    from .registry import algorithms as algorithms
    from .solve import maximum_matching as maximum_matching
    from .structure import is_structurally_singular as is_structurally_singular
    from .structure import maximum_transversal as maximum_transversal
    from .structure import structural_rank as structural_rank

# Public name -> the module it lives in.
_HOME = {
    "BergeError": "errors",
    "CheckpointError": "errors",
    "ClusterError": "errors",
    "DeviceError": "errors",
    "FetchError": "errors",
    "FormatError": "errors",
    "InvalidGraphError": "errors",
    "InvalidMatchingError": "errors",
    "OptionError": "errors",
    "PeerLost": "errors",
    "ProofError": "errors",
    "EdgeRoles": "covers",
    "edge_roles": "covers",
    "maximum_independent_set": "covers",
    "minimum_edge_cover": "covers",
    "minimum_vertex_cover": "covers",
    "BlockTriangularForm": "decomposition",
    "DulmageMendelsohn": "decomposition",
    "block_triangular_form": "decomposition",
    "dmperm": "decomposition",
    "dulmage_mendelsohn": "decomposition",
    "is_structurally_singular": "structure",
    "maximum_transversal": "structure",
    "structural_rank": "structure",
    "BipartiteGraph": "graph",
    "Graph": "graph",
    "GreedyMatching": "greedy.matching",
    "greedy_matching": "greedy.pipeline",
    "as_bipartite": "ingest",
    "as_graph": "ingest",
    "read": "io",
    "write": "io",
    "LabelledMatching": "labels",
    "Shortage": "labels",
    "explain_unmatched": "labels",
    "match_pairs": "labels",
    "Matching": "matching",
    "SolveStats": "matching",
    "Hierarchy": "multilevel.hierarchy",
    "coarsen": "multilevel.coarsening",
    "coarsen_hypergraph": "multilevel.hypergraph",
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

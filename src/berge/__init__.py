"""Matchings in graphs: fast, multicore, and proved.

``import berge`` is quick: numpy, scipy and numba are imported when first needed.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import generate as generate
    from .analysis.coarsening.coarsen import coarsen as coarsen
    from .analysis.coarsening.hierarchy import Hierarchy as Hierarchy
    from .analysis.coarsening.hypergraph import coarsen_hypergraph as coarsen_hypergraph
    from .analysis.coarsening.nets import Hypergraph as Hypergraph
    from .analysis.coarsening.nets import read_hypergraph as read_hypergraph
    from .analysis.covers import EdgeRoles as EdgeRoles
    from .analysis.covers import edge_roles as edge_roles
    from .analysis.covers import maximum_independent_set as maximum_independent_set
    from .analysis.covers import minimum_edge_cover as minimum_edge_cover
    from .analysis.covers import minimum_vertex_cover as minimum_vertex_cover
    from .analysis.decomposition import BlockTriangularForm as BlockTriangularForm
    from .analysis.decomposition import DulmageMendelsohn as DulmageMendelsohn
    from .analysis.decomposition import block_triangular_form as block_triangular_form
    from .analysis.decomposition import dmperm as dmperm
    from .analysis.decomposition import dulmage_mendelsohn as dulmage_mendelsohn
    from .analysis.gallai_edmonds import GallaiEdmonds as GallaiEdmonds
    from .analysis.gallai_edmonds import GeneralEdgeRoles as GeneralEdgeRoles
    from .analysis.gallai_edmonds import gallai_edmonds as gallai_edmonds
    from .analysis.labels import LabelledMatching as LabelledMatching
    from .analysis.labels import Shortage as Shortage
    from .analysis.labels import explain_unmatched as explain_unmatched
    from .analysis.labels import match_pairs as match_pairs
    from .analysis.scaling import ScaledPermutation as ScaledPermutation
    from .analysis.scaling import scale_and_permute as scale_and_permute
    from .analysis.structure import is_structurally_singular as is_structurally_singular
    from .analysis.structure import maximum_transversal as maximum_transversal
    from .analysis.structure import structural_rank as structural_rank
    from .errors import BergeError as BergeError
    from .errors import CheckpointError as CheckpointError
    from .errors import ClusterError as ClusterError
    from .errors import DeviceError as DeviceError
    from .errors import FetchError as FetchError
    from .errors import FormatError as FormatError
    from .errors import GuessWarning as GuessWarning
    from .errors import InvalidGraphError as InvalidGraphError
    from .errors import InvalidMatchingError as InvalidMatchingError
    from .errors import OptionError as OptionError
    from .errors import PeerLost as PeerLost
    from .errors import ProofError as ProofError
    from .files import read as read
    from .files import write as write
    from .files.limits import Limits as Limits
    from .graphs.graph import BipartiteGraph as BipartiteGraph
    from .graphs.graph import Graph as Graph
    from .ingest import as_bipartite as as_bipartite
    from .ingest import as_graph as as_graph
    from .methods.registry import algorithms as algorithms
    from .results.assignment import Assignment as Assignment
    from .results.capacity_matching import CapacityCertificate as CapacityCertificate
    from .results.capacity_matching import CapacityMatching as CapacityMatching
    from .results.general_matching import GeneralMatching as GeneralMatching
    from .results.greedy_matching import GreedyMatching as GreedyMatching
    from .results.matching import Matching as Matching
    from .results.matching import SolveStats as SolveStats
    from .results.price_proof import PriceProof as PriceProof
    from .results.proof import Certificate as Certificate
    from .results.proof import verify as verify
    from .results.sensitivity import PriceRange as PriceRange
    from .results.tutte_berge import TutteBerge as TutteBerge
    from .results.vertex_prices import VertexPrices as VertexPrices
    from .results.weighted_matching import OddSetPrices as OddSetPrices
    from .results.weighted_matching import WeightedMatching as WeightedMatching
    from .solve.assign import assign as assign
    from .solve.greedy import greedy_matching as greedy_matching
    from .solve.maximum import maximum_matching as maximum_matching
    from .solve.weighted import maximum_weight_matching as maximum_weight_matching

# Public name -> the module it lives in.
_HOME = {
    "coarsen": "analysis.coarsening.coarsen",
    "Hierarchy": "analysis.coarsening.hierarchy",
    "coarsen_hypergraph": "analysis.coarsening.hypergraph",
    "Hypergraph": "analysis.coarsening.nets",
    "read_hypergraph": "analysis.coarsening.nets",
    "EdgeRoles": "analysis.covers",
    "edge_roles": "analysis.covers",
    "maximum_independent_set": "analysis.covers",
    "minimum_edge_cover": "analysis.covers",
    "minimum_vertex_cover": "analysis.covers",
    "BlockTriangularForm": "analysis.decomposition",
    "DulmageMendelsohn": "analysis.decomposition",
    "block_triangular_form": "analysis.decomposition",
    "dmperm": "analysis.decomposition",
    "dulmage_mendelsohn": "analysis.decomposition",
    "GallaiEdmonds": "analysis.gallai_edmonds",
    "GeneralEdgeRoles": "analysis.gallai_edmonds",
    "gallai_edmonds": "analysis.gallai_edmonds",
    "LabelledMatching": "analysis.labels",
    "Shortage": "analysis.labels",
    "explain_unmatched": "analysis.labels",
    "match_pairs": "analysis.labels",
    "ScaledPermutation": "analysis.scaling",
    "scale_and_permute": "analysis.scaling",
    "is_structurally_singular": "analysis.structure",
    "maximum_transversal": "analysis.structure",
    "structural_rank": "analysis.structure",
    "BergeError": "errors",
    "CheckpointError": "errors",
    "ClusterError": "errors",
    "DeviceError": "errors",
    "FetchError": "errors",
    "FormatError": "errors",
    "GuessWarning": "errors",
    "InvalidGraphError": "errors",
    "InvalidMatchingError": "errors",
    "OptionError": "errors",
    "PeerLost": "errors",
    "ProofError": "errors",
    "read": "files",
    "write": "files",
    "Limits": "files.limits",
    "BipartiteGraph": "graphs.graph",
    "Graph": "graphs.graph",
    "as_bipartite": "ingest",
    "as_graph": "ingest",
    "algorithms": "methods.registry",
    "Assignment": "results.assignment",
    "PriceProof": "results.price_proof",
    "CapacityCertificate": "results.capacity_matching",
    "CapacityMatching": "results.capacity_matching",
    "GeneralMatching": "results.general_matching",
    "TutteBerge": "results.tutte_berge",
    "OddSetPrices": "results.weighted_matching",
    "WeightedMatching": "results.weighted_matching",
    "maximum_weight_matching": "solve.weighted",
    "GreedyMatching": "results.greedy_matching",
    "Matching": "results.matching",
    "SolveStats": "results.matching",
    "Certificate": "results.proof",
    "VertexPrices": "results.vertex_prices",
    "verify": "results.proof",
    "PriceRange": "results.sensitivity",
    "assign": "solve.assign",
    "greedy_matching": "solve.greedy",
    "maximum_matching": "solve.maximum",
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

"""The public face: names, laziness, registry, doctests."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import berge
from berge.methods.registry import variants

PUBLIC = {
    "Assignment",
    "GallaiEdmonds",
    "GeneralEdgeRoles",
    "CapacityCertificate",
    "CapacityMatching",
    "GeneralMatching",
    "gallai_edmonds",
    "OddSetPrices",
    "TutteBerge",
    "WeightedMatching",
    "maximum_weight_matching",
    "BergeError",
    "BipartiteGraph",
    "BlockTriangularForm",
    "Certificate",
    "VertexPrices",
    "CheckpointError",
    "ClusterError",
    "DeviceError",
    "DulmageMendelsohn",
    "EdgeRoles",
    "FetchError",
    "FormatError",
    "Graph",
    "GreedyMatching",
    "GuessWarning",
    "Hierarchy",
    "Hypergraph",
    "read_hypergraph",
    "Limits",
    "InvalidGraphError",
    "InvalidMatchingError",
    "LabelledMatching",
    "Matching",
    "OptionError",
    "PeerLost",
    "PriceProof",
    "PriceRange",
    "ProofError",
    "ScaledPermutation",
    "Shortage",
    "SolveStats",
    "__version__",
    "algorithms",
    "assign",
    "as_bipartite",
    "as_graph",
    "block_triangular_form",
    "coarsen",
    "coarsen_hypergraph",
    "dmperm",
    "dulmage_mendelsohn",
    "edge_roles",
    "explain_unmatched",
    "generate",
    "greedy_matching",
    "is_structurally_singular",
    "match_pairs",
    "maximum_independent_set",
    "maximum_matching",
    "maximum_transversal",
    "minimum_edge_cover",
    "minimum_vertex_cover",
    "read",
    "scale_and_permute",
    "structural_rank",
    "verify",
    "write",
}
MODULES = [
    module.name
    for module in pkgutil.walk_packages(berge.__path__, "berge.")
    if not module.name.endswith("__main__")
]


def test_names_are_deliberate():
    assert set(berge.__all__) == set(dir(berge)) == PUBLIC
    for name in PUBLIC:
        assert getattr(berge, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'maximal_matching'"):
        berge.maximal_matching  # noqa: B018


def test_public_callables_have_a_docstring_with_an_example():
    for name in ("BipartiteGraph", "Graph", "Matching", "algorithms", "as_bipartite", "as_graph",
                 "maximum_matching", "verify"):  # fmt: skip
        assert ">>>" in (getattr(berge, name).__doc__ or ""), name


def test_import_is_light():
    code = (
        "import sys, berge; dir(berge); berge.algorithms()\n"
        "heavy = {'numpy', 'scipy', 'numba', 'rich', 'click'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("name", MODULES)
def test_doctests(name):
    module = importlib.import_module(name)
    failures, _ = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert failures == 0


def test_registry_loads_and_says_enough():
    names = [a.name for a in berge.algorithms()]
    assert len(names) == len(set(names))
    for algorithm in (*berge.algorithms(), *variants()):
        assert callable(algorithm.load())
        assert algorithm.summary
        assert algorithm.bound.startswith("O(")
        module = importlib.import_module("berge." + algorithm.function.partition(":")[0])
        if algorithm.paper:
            assert "Reference" in module.__doc__


def test_compiling_is_announced_on_a_terminal(tmp_path):
    """A first call with an empty cache says so, once, and only to a terminal."""
    import os
    import pty

    code = "import berge; berge.maximum_matching(([0, 1], [0, 1]), algorithm='pothen-fan')"
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    environment.pop("NUMBA_DISABLE_JIT", None)

    def stderr_on_a_terminal() -> str:
        terminal, theirs = pty.openpty()
        subprocess.run([sys.executable, "-c", code], env=environment, stderr=theirs, check=True)
        os.close(theirs)
        said = b""
        try:
            while chunk := os.read(terminal, 4096):
                said += chunk
        except OSError:  # the other end is closed
            pass
        os.close(terminal)
        return said.decode()

    assert stderr_on_a_terminal().count("compiling kernels for this machine") == 1
    assert stderr_on_a_terminal() == ""


def test_reference_has_every_public_name_once():
    pages = (Path(__file__).parents[1] / "docs" / "api").glob("*.md")
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    named = re.findall(r"^\.\. auto(?:function|class|exception):: (\w+)", text, re.MULTILINE)
    assert sorted(named) == sorted(set(berge.__all__) - {"__version__", "generate"}), (
        "every public name has a line on one page of docs/api"
    )

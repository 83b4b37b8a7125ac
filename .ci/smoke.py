"""What a user does first, in an environment that has berge and networkx and no source of berge.

With the argument "compiled", nothing may have to be compiled for the first answer and its proof.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import berge

if "compiled" in sys.argv:
    first = berge.maximum_matching([[1, 1, 0], [1, 0, 0], [1, 0, 1]])
    assert first.prove([[1, 1, 0], [1, 0, 0], [1, 0, 1]]).size == 3
    assert "numba" not in sys.modules, "a first answer took numba"

from berge.compile.recorder import count_compiled

graph = berge.generate.layered(40)
answers = []


def solve() -> None:
    """Match, prove, and match what scipy holds."""
    matching = berge.maximum_matching(graph)
    matching.prove(graph)
    matrix = graph.to_scipy()
    berge.maximum_matching(matrix).prove(matrix)
    answers.append(matching.cardinality)


compiled = count_compiled(solve)
assert answers[0] == berge.structural_rank(graph), answers
if "compiled" in sys.argv:
    assert compiled == 0, f"{compiled} kernels were compiled"
assert Path(berge.__file__).is_relative_to(sys.prefix), berge.__file__

berge.write(graph, "graph.mtx")
program = shutil.which("berge", path=str(Path(sys.executable).parent))
assert program, "no command berge"
said = subprocess.run(
    [program, "match", "graph.mtx", "--json"], capture_output=True, text=True, check=True
).stdout
facts = json.loads(said)
assert (facts["proved"], facts["cardinality"]) == (True, answers[0]), facts

import networkx as nx  # noqa: E402

assert "berge" in nx.utils.backends.backends, "networkx does not find its backend"
path = nx.path_graph(6)
assert len(nx.bipartite.maximum_matching(path, backend="berge")) == 6
print(f"berge {berge.__version__} on Python {sys.version.split()[0]}: {compiled} kernels compiled")

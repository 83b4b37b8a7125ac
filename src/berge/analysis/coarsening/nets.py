"""Hypergraphs: nets of any number of vertices, and their weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...files.files import PathName
from ...files.limits import Limits
from ...graphs.graph import BipartiteGraph, Weights
from ...wording import plural

__all__ = ["Hypergraph", "read_hypergraph"]


@dataclass(frozen=True, eq=False, repr=False)
class Hypergraph:
    """Nets with weights, and vertices with weights.

    Attributes
    ----------
    incidence
        Rows are nets, columns are vertices; sorted, without duplicates.
    weights, vertex_weights
        Of nets and vertices.
    """

    incidence: BipartiteGraph
    weights: Weights
    vertex_weights: Weights | None = None

    @property
    def n_vertices(self) -> int:
        """Number of vertices."""
        return self.incidence.n_cols

    @property
    def n_edges(self) -> int:
        """Number of nets."""
        return self.incidence.n_rows

    @property
    def total_weight(self) -> float:
        """Sum of the weights of all nets."""
        return float(self.weights.sum())

    def to_scipy(self) -> Any:
        """Return the incidence as a ``scipy.sparse.csr_array``; its values are weights of nets."""
        from scipy.sparse import csr_array

        nets = self.incidence
        values = np.repeat(self.weights, nets.row_degrees)
        return csr_array((values, nets.indices, nets.indptr), shape=nets.shape)

    def __repr__(self) -> str:
        pins = self.incidence.nnz
        vertices = plural(self.n_vertices, "vertex", "vertices")
        return f"Hypergraph({vertices}, {plural(self.n_edges, 'net')}, {plural(pins, 'pin')})"


def read_hypergraph(path: PathName, *, limits: Limits | None = None) -> Hypergraph:
    """Read a hypergraph with its weights from a file as hMETIS has it.

    Nets weigh 1 where the file does not say. `berge.read` gives the nets alone.

    Parameters
    ----------
    path
        The file; one more suffix .gz, .bz2 or .xz has it compressed.
    limits
        As in `read`.

    Raises
    ------
    FormatError
        The file does not follow its format; names the line.

    Examples
    --------
    >>> import berge, pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "nets.hgr")
    ...     _ = path.write_text("2 4 1;7 1 2;2 2 3 4".replace(";", chr(10)))
    ...     nets = berge.read_hypergraph(path)
    >>> nets
    Hypergraph(4 vertices, 2 nets, 5 pins)
    >>> nets.weights
    array([7., 2.])
    """
    from ...files import hmetis
    from ...files.remote import here

    with here(path, limits) as place:
        incidence, weights, vertex_weights = hmetis.read_hypergraph(place, limits=limits)
    return Hypergraph(
        incidence.without_duplicates(),
        np.ones(incidence.n_rows) if weights is None else weights.astype(np.float64),
        None if vertex_weights is None else vertex_weights.astype(np.float64),
    )

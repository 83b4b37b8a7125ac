"""Tensors of torch, and what lies on a GPU, to berge's graphs.

Indices on a device are copied to the host; `berge.results.on_device` is for those that stay there.
"""

from __future__ import annotations

from typing import Any

from ..errors import InvalidGraphError
from ..graphs.graph import BipartiteGraph


def from_torch(tensor: Any) -> BipartiteGraph:
    """Take every stored entry of a sparse tensor, every nonzero of a dense one, as an edge.

    COO, CSR and CSC are read as they are; block formats by way of COO.
    """
    shape = tuple(tensor.shape)
    layout = str(tensor.layout).rpartition(".")[2]
    dimensions = tensor.sparse_dim() if layout == "sparse_coo" else tensor.dim()
    if len(shape) != 2 or dimensions != 2:
        raise InvalidGraphError(f"a tensor must be two-dimensional, not of shape {shape}")
    if layout == "sparse_csr":
        return BipartiteGraph(on_host(tensor.crow_indices()), on_host(tensor.col_indices()), shape)
    if layout == "sparse_csc":
        return BipartiteGraph(
            on_host(tensor.ccol_indices()), on_host(tensor.row_indices()), shape[::-1]
        ).T
    if layout == "strided":
        rows, cols = on_host(tensor.nonzero()).T
    else:
        coo = tensor if layout == "sparse_coo" else tensor.to_sparse_coo()
        rows, cols = on_host(coo.coalesce().indices())
    return BipartiteGraph.from_edges(rows, cols, shape)


def on_host(array: Any) -> Any:
    """Return an array of torch, or on a CUDA device, as numpy's, anything else as it is."""
    library = type(array).__module__.partition(".")[0]
    if library == "torch":
        return array.detach().cpu().numpy()
    if library in ("cupy", "cupyx"):
        return array.get()
    if hasattr(array, "__cuda_array_interface__") or hasattr(array, "__cuda_ndarray__"):
        from ..compile.device import open_device

        device = open_device("cuda")
        return device.download(device.upload(array))
    return array

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
    sparse = str(tensor.layout).endswith("sparse_coo")
    if len(shape) != 2 or (tensor.sparse_dim() if sparse else tensor.dim()) != 2:
        raise InvalidGraphError(f"a tensor must be two-dimensional, not of shape {shape}")
    layout, arrays = index_arrays(tensor)
    first, second = map(on_host, arrays)
    if layout == "coo":
        return BipartiteGraph.from_edges(first, second, shape)
    if layout == "csc":
        return BipartiteGraph(first, second, shape[::-1]).T
    return BipartiteGraph(first, second, shape)


def index_arrays(tensor: Any) -> tuple[str, tuple[Any, Any]]:
    """Return a layout, csr, csc or coo, and the index arrays of a two-dimensional tensor in it."""
    layout = str(tensor.layout).rpartition(".")[2]
    if layout == "sparse_csr":
        return "csr", (tensor.crow_indices(), tensor.col_indices())
    if layout == "sparse_csc":
        return "csc", (tensor.ccol_indices(), tensor.row_indices())
    if layout == "strided":
        return "coo", tensor.nonzero(as_tuple=True)
    coo = tensor if layout == "sparse_coo" else tensor.to_sparse_coo()
    rows, cols = coo.coalesce().indices()
    return "coo", (rows, cols)


def on_host(array: Any) -> Any:
    """Return an array of torch, or on a CUDA device, as numpy's, anything else as it is."""
    library = type(array).__module__.partition(".")[0]
    if library == "torch":
        return array.detach().cpu().numpy()
    if library in ("cupy", "cupyx"):
        return array.get()
    if hasattr(array, "__cuda_array_interface__") or hasattr(array, "__cuda_ndarray__"):
        from ..compile.devices import open_device

        device = open_device("cuda")
        return device.download(device.upload(array))
    return array

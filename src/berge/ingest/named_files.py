"""GraphML and Pajek files, as igraph or networkx read them; names of vertices are kept."""

from __future__ import annotations

import shutil
import tempfile
from math import isnan
from os import fspath
from pathlib import Path
from typing import Any, NoReturn

from ..errors import FormatError, OptionError
from ..files.files import PathName, damage_reported, open_bytes, split_suffix
from ..files.limits import Limits
from ..graphs.graph import BipartiteGraph, Graph
from . import as_bipartite, as_graph
from .edges import filled

_READERS = {".graphml": ("Read_GraphML", "read_graphml"), ".net": ("Read_Pajek", "read_pajek")}


def read(path: PathName, *, limits: Limits | None = None) -> BipartiteGraph:
    """Read a bipartite graph; see `berge.read`. Which vertices are rows, its attributes tell."""
    return as_bipartite(_load(path, limits))


def read_graph(path: PathName, *, weights: Any = True, limits: Limits | None = None) -> Graph:
    """Read a graph; `weights` is True for the attribute ``weight`` of its edges."""
    graph = _load(path, limits)
    if weights is True and hasattr(graph, "es") and "weight" in graph.es.attributes():
        found = [None if isnan(weight) else weight for weight in graph.es["weight"]]
        graph.es["weight"] = filled(found, "weight")
    return as_graph(graph, weights="weight" if weights is True else weights)


def write(graph: BipartiteGraph, path: PathName) -> NoReturn:
    """Refuse: these are for other programs' graphs, which have more than edges."""
    raise FormatError("this format is read, not written", path)


def _load(path: PathName, limits: Limits | None) -> Any:
    """Return igraph's graph, or networkx's where igraph is not installed."""
    suffix = split_suffix(path)[0]
    by_igraph, by_networkx = _READERS.get(suffix, _READERS[".graphml"])
    with tempfile.TemporaryDirectory(prefix="berge-") as folder:
        plain = fspath(path)
        if split_suffix(path)[1]:
            plain = str(Path(folder, "plain"))
            with (
                damage_reported(path),
                open_bytes(path, limits) as packed,
                open(plain, "wb") as file,
            ):
                shutil.copyfileobj(packed, file)
        try:
            try:
                from igraph import Graph as Reader

                return _with_names(getattr(Reader, by_igraph)(plain))
            except ImportError:
                import networkx

                return getattr(networkx, by_networkx)(plain)
        except OSError:
            raise
        except ImportError:
            wrong = f"{suffix} files need igraph or networkx: pip install igraph"
            raise OptionError(wrong) from None
        except Exception as error:  # the readers raise errors of many classes
            said = " ".join(str(error).split())
            raise FormatError(f"cannot be read: {said}", path) from None


def _with_names(graph: Any) -> Any:
    """Have what networkx writes look as igraph has it."""
    of_vertices = graph.vs.attributes()
    if "name" not in of_vertices and "id" in of_vertices:
        graph.vs["name"] = graph.vs["id"]
    if "type" not in of_vertices and "bipartite" in of_vertices:
        graph.vs["type"] = [bool(side) for side in graph.vs["bipartite"]]
    return graph

"""GraphML and Pajek files, as igraph or networkx read them; names of vertices are kept."""

from __future__ import annotations

import codecs
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from math import isnan
from mmap import ACCESS_READ, mmap
from os import fspath
from pathlib import Path
from typing import Any, NoReturn

from ..errors import FormatError, InvalidGraphError, OptionError
from ..files.files import PathName, damage_reported, open_bytes, split_suffix
from ..files.limits import Limits
from ..graphs.graph import BipartiteGraph, Graph
from . import as_bipartite, as_graph
from .edges import filled

# What the readers take, by measurement: for a byte of the file, for a vertex without a name.
_PER_BYTE, _PER_VERTEX = 64, 200
_VERTICES = re.compile(rb"\*vertices\s+([0-9]{1,18})", re.IGNORECASE)
_READERS = {".graphml": ("Read_GraphML", "read_graphml"), ".net": ("Read_Pajek", "read_pajek")}


def read(path: PathName, *, limits: Limits | None = None) -> BipartiteGraph:
    """Read a bipartite graph; see `berge.read`. Which vertices are rows, its attributes tell."""
    with _place_told(path):
        return as_bipartite(_load(path, limits))


def read_graph(path: PathName, *, weights: Any = True, limits: Limits | None = None) -> Graph:
    """Read a graph; `weights` is True for the attribute ``weight`` of its edges."""
    with _place_told(path):
        graph = _load(path, limits)
        if weights is True and hasattr(graph, "es") and "weight" in graph.es.attributes():
            found = [None if isnan(weight) else weight for weight in graph.es["weight"]]
            graph.es["weight"] = filled(found, "weight")
        return as_graph(graph, weights="weight" if weights is True else weights)


def write(graph: BipartiteGraph, path: PathName) -> NoReturn:
    """Refuse: these are for other programs' graphs, which have more than edges."""
    raise FormatError("this format is read, not written", path)


@contextmanager
def _place_told(path: PathName) -> Iterator[None]:
    """Have the errors about a graph say where it came from."""
    try:
        yield
    except InvalidGraphError as error:
        error.args = (f"{fspath(path)}: {error}",)
        raise


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
        _check_memory(path, plain, suffix, limits or Limits())
        _check_text(path, plain)
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


def _check_memory(path: PathName, plain: str, suffix: str, limits: Limits) -> None:
    """Refuse a file whose vertices and edges would not fit, before others make objects of them."""
    size, vertices = os.path.getsize(plain), 0
    if suffix == ".net" and size:
        with open(plain, "rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
            vertices = max((int(found[1]) for found in _VERTICES.finditer(content)), default=0)
    needed = _PER_BYTE * size + _PER_VERTEX * vertices
    limits.check((vertices, 0), 0, path, needed=needed)


def _check_text(path: PathName, plain: str) -> None:
    """Refuse what is not UTF-8, unless it is XML that says so: igraph decodes names as that."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    with open(plain, "rb") as file:
        head = file.read(1 << 20)
        if re.search(rb"encoding\s*=", head[:200]) or head.startswith((b"\xff\xfe", b"\xfe\xff")):
            return
        try:
            while head:
                decoder.decode(head)
                head = file.read(1 << 20)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError as error:
            raise FormatError(f"not UTF-8: {error.reason}", path) from None


def _with_names(graph: Any) -> Any:
    """Have what networkx writes look as igraph has it."""
    of_vertices = graph.vs.attributes()
    if "name" not in of_vertices and "id" in of_vertices:
        graph.vs["name"] = graph.vs["id"]
    if "type" not in of_vertices and "bipartite" in of_vertices:
        graph.vs["type"] = [bool(side) for side in graph.vs["bipartite"]]
    return graph

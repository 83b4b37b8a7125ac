"""What the scripts beside it share: graphs from a folder, tables in Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import berge
from berge_lab.report.markdown import table_lines

__all__ = ["fresh", "print_table", "with_real"]


def with_real(
    generated: Mapping[str, Callable[[], Any]], folder: Path | None, names: Iterable[str]
) -> dict[str, Callable[[], Any]]:
    """Return how to make graphs: generated ones, and those of these names in a folder of .npz."""
    files = [folder / f"{name}.npz" for name in names] if folder else []
    real = {f.stem: lambda f=f: berge.read(f) for f in files if f.exists()}
    return {**generated, **real}


def fresh(graph: berge.BipartiteGraph) -> berge.BipartiteGraph:
    """Return the same arrays as a graph that has no transpose yet."""
    return berge.BipartiteGraph(graph.indptr, graph.indices, graph.shape)


def print_table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print a table in Markdown."""
    print(f"\n{table_lines(columns, rows)}", flush=True)

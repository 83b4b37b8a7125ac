"""Partition a mesh: coarsen it, split the coarsest graph, and carry the split back.

    python examples/partition_mesh.py [--points N] [--parts K] [--plot FILE]

The mesh is a disc with two holes, finer near these. It is split in two, and the parts again, until
there are K of them. Each split is multilevel:

1. coarsen to some hundred vertices (`berge.coarsen`);
2. split these by the second eigenvector of their Laplacian, at the weighted median;
3. project the split to the next finer level, let single vertices at the boundary change sides as
   long as that makes the cut lighter (Fiduccia, Mattheyses 1982), and so on to the finest.

On every level a cut weighs as much as the same cut of the mesh, since weights of edges add up.
"""

from __future__ import annotations

import argparse
import heapq
import time
from typing import Any

import numpy as np
from scipy.linalg import eigh
from scipy.spatial import Delaunay

import berge

HOLES = ((-0.35, 0.2, 0.22), (0.4, -0.25, 0.15))  # x, y, radius, in a disc of radius 1
UNTIL = 100
SLACK = 0.01  # of the whole: a part may be so much heavier than half


def mesh(n: int, seed: int = 0) -> tuple[Any, Any, berge.Graph]:
    """Return points, triangles and the graph of their sides."""
    rng = np.random.default_rng(seed)
    points = np.empty((0, 2))
    while len(points) < n:
        more = rng.uniform(-1, 1, (4 * n, 2))
        gaps = [np.hypot(*(more - hole[:2]).T) - hole[2] for hole in HOLES]
        density = 0.12 + np.exp(-8 * np.minimum(*gaps))
        inside = (np.hypot(*more.T) < 1) & (np.minimum(*gaps) > 0)
        points = np.vstack([points, more[inside & (rng.uniform(0, 1, 4 * n) < density)]])
    points = points[:n]
    triangles = Delaunay(points).simplices
    centres = points[triangles].mean(axis=1)
    open_ = [np.hypot(*(centres - hole[:2]).T) > hole[2] for hole in HOLES]
    triangles = triangles[open_[0] & open_[1]]
    sides = triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2).T
    return points, triangles, berge.Graph.from_edges(*sides, n)


def bisect(graph: berge.Graph) -> Any:
    """Return 0 or 1 for every vertex: two parts of about the same weight, and few edges between."""
    h = berge.coarsen(graph, until=UNTIL)
    side = split(h.coarsest)
    for level in reversed(range(len(h) - 1)):
        side = h.project(side, level + 1, level)
        while refine(h[level].graph, side):
            pass
    return side


def split(graph: berge.Graph) -> Any:
    """Split at the weighted median of the second eigenvector of L x = λ C x."""
    weights = vertex_weights(graph)
    adjacency = graph.to_scipy().toarray().astype(float)
    laplacian = np.diag(adjacency.sum(axis=0)) - adjacency
    _, vectors = eigh(laplacian, np.diag(weights), subset_by_index=[1, 1])
    order = np.argsort(vectors[:, 0], kind="stable")
    side = np.zeros(graph.n_vertices, np.int64)
    side[order[np.cumsum(weights[order]) > weights.sum() / 2]] = 1
    return side


def refine(graph: berge.Graph, side: Any, patience: int = 50) -> bool:
    """Move vertices across the boundary, best first, each once; undo what did not pay in the end.

    Changes `side`; tells whether the cut became lighter.
    """
    adjacency, weights = graph.to_scipy().astype(float), vertex_weights(graph)
    indptr, indices, values = adjacency.indptr, adjacency.indices, adjacency.data
    sign = 1.0 - 2 * side
    gain = -sign * (adjacency @ sign)  # weight of edges to the other side, less that to one's own
    load = np.bincount(side, weights, 2)
    most = (0.5 + SLACK) * weights.sum()
    heap = [(-gain[v], v) for v in np.flatnonzero(gain > -(adjacency @ np.ones(side.size)))]
    heapq.heapify(heap)
    moved: list[int] = []
    done, saved, best, kept = set(), 0.0, 1e-9, 0
    while heap and len(moved) - kept < patience:
        lost, v = heapq.heappop(heap)
        to = 1 - side[v]
        if v in done or -lost != gain[v] or load[to] + weights[v] > max(most, load.max()):
            continue
        load += np.where(np.arange(2) == to, weights[v], -weights[v])
        side[v] = to
        done.add(v)
        moved.append(v)
        saved += gain[v]
        if saved > best:
            best, kept = saved, len(moved)
        for k in range(indptr[v], indptr[v + 1]):
            u = indices[k]
            gain[u] += 2 * values[k] * (1 if side[u] != to else -1)
            heapq.heappush(heap, (-gain[u], u))
    undone = moved[kept:]
    side[undone] = 1 - side[undone]
    return kept > 0


def vertex_weights(graph: berge.Graph) -> Any:
    return np.ones(graph.n_vertices) if graph.vertex_weights is None else graph.vertex_weights


def partition(graph: berge.Graph, parts: int) -> Any:
    """Split a graph into `parts` parts, a power of two, by splitting in two again and again."""
    part = np.zeros(graph.n_vertices, np.int64)
    adjacency = graph.to_scipy()
    for _ in range(parts.bit_length() - 1):
        part *= 2
        for p in np.unique(part):
            inside = np.flatnonzero(part == p)
            part[inside] += bisect(berge.as_graph(adjacency[inside][:, inside]))
    return part


def cut_edges(graph: berge.Graph, part: Any) -> Any:
    """Return the ends of the edges between parts."""
    edges = graph.to_scipy().tocoo()
    cut = (edges.row < edges.col) & (part[edges.row] != part[edges.col])
    return np.stack([edges.row[cut], edges.col[cut]], axis=1)


def draw(points: Any, triangles: Any, graph: berge.Graph, part: Any, path: str) -> None:
    """Draw the mesh, a coarse level with the parts in it, and the mesh in parts."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt
    from matplotlib.collections import LineCollection, PolyCollection

    h = berge.coarsen(graph, until=4 * UNTIL)
    colours = plt.get_cmap("tab20")(np.arange(20))[np.r_[0:20:2, 1:20:2]]
    figure, axes = plt.subplots(1, 3, figsize=(13.5, 4.8), layout="constrained")
    for axis in axes:
        axis.set(aspect="equal", xlim=(-1.02, 1.02), ylim=(-1.02, 1.02))
        axis.axis("off")
    axes[0].set_title(f"the mesh: {graph.n_vertices:,} vertices, {graph.n_edges:,} edges")
    axes[0].triplot(*points.T, triangles, color="#35506b", linewidth=0.3)

    n = h.coarsest.n_vertices
    edges = h.to_scipy().tocoo()
    axes[1].set_title(f"coarsened in {len(h) - 1} steps: {n:,} vertices, {edges.nnz // 2:,} edges")
    centres = np.stack([h.restrict(x, op="mean") for x in points.T], axis=1)
    widths = 0.4 + 2.2 * edges.data / edges.data.max()
    lines = LineCollection(
        centres[np.stack([edges.row, edges.col], axis=1)], linewidths=widths, color="#b8c0c8"
    )
    axes[1].add_collection(lines)
    sizes = 3 + 26 * h.coarsest.vertex_weights / h.coarsest.vertex_weights.max()
    axes[1].scatter(*centres.T, s=sizes, color="#35506b", zorder=2, linewidths=0)

    cut = cut_edges(graph, part)
    axes[2].set_title(f"{part.max() + 1} parts, {len(cut):,} edges cut")
    one = part[triangles[:, 0]] == part[triangles[:, 1]]
    one &= part[triangles[:, 1]] == part[triangles[:, 2]]
    shade = np.where(one[:, None], colours[part[triangles[:, 0]] % 20], (1, 1, 1, 1))
    axes[2].add_collection(PolyCollection(points[triangles], facecolors=shade, edgecolors=shade))
    axes[2].add_collection(LineCollection(points[cut], color="black", linewidths=0.6))
    figure.savefig(path, dpi=90)
    plt.close(figure)
    if path.endswith(".png"):
        from PIL import Image  # comes with matplotlib

        Image.open(path).convert("RGB").quantize(48).save(path, optimize=True)  # a fourth as large


def main() -> None:
    """Partition, count and draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--points", type=int, default=6_000, help="vertices of the mesh")
    parser.add_argument("--parts", type=int, default=8, help="a power of two")
    parser.add_argument("--plot", metavar="FILE", help="draw it (.png, .svg, .pdf)")
    options = parser.parse_args()
    if options.parts < 1 or options.parts & (options.parts - 1):
        parser.error("--parts must be a power of two")
    points, triangles, graph = mesh(options.points)
    print(f"mesh: {graph.n_vertices:,} vertices, {graph.n_edges:,} edges")
    start = time.perf_counter()
    part = partition(graph, options.parts)
    seconds = time.perf_counter() - start
    sizes = np.bincount(part)
    print(f"{options.parts} parts of {sizes.min():,} to {sizes.max():,} vertices, {seconds:.2f} s")
    cut = len(cut_edges(graph, part))
    print(f"cut: {cut:,} edges, {cut / graph.n_edges:.2%} of all")
    if options.plot:
        draw(points, triangles, graph, part, options.plot)


if __name__ == "__main__":
    main()

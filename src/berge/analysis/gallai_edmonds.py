"""The Gallai–Edmonds decomposition, and which edges of any graph maximum matchings need.

The vertices of a graph fall into three sets, whatever maximum matching M is looked at:

- D: those that some maximum matching leaves out. They are the outer vertices of the forest from the
  unmatched ones (`berge.results.forest`), and the components of D are its blossoms. Every component
  K is factor-critical: without any one of its vertices the rest of K has a perfect matching.
- A: the neighbours of D that are not in D: the inner vertices. They are the Tutte–Berge set. Every
  maximum matching matches each of them into a component of D, no two into the same one. Any set of
  k > 0 of them has neighbours in more than k components.
- C: all others. Every maximum matching matches them among themselves.

Which edges are in some maximum matching, and which in every one:

1. An edge uv within D is in some. Some maximum matching leaves out u. There v has a mate w in their
   component; take uv in place of vw. It is not in every one, since one leaves out u.
2. An edge between a in A and d in D is in some. Take a and the component of d away: any k others
   of A still have neighbours in k components at least, so all of them can be matched (Hall). Match
   a to d, and the rest of each component within itself. It is not in every one: one leaves out d.
3. Edges within A, and between A and C, are in none. There is no edge between C and D.
4. An edge uv within C that is not in M is in some just if an alternating path leads from the mate
   of u to v, ends with an edge of M, and avoids u. That is: v is outer in the tree from the mate of
   u, in C without u. An edge of M there is in every one, just if no other edge at its ends is in
   some.

Work O(n + m) for the decomposition; for the roles, a search of C from each of its vertices,
O(|C|·m) at most. Where C is small that is little.

References: T. Gallai 1964; J. Edmonds 1965; L. Lovász, M. D. Plummer, Matching Theory, 1986, 3.2.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from ..compile import kernel
from ..drawn import GREY, Kind, draw_graph
from ..errors import InvalidMatchingError, ProofError
from ..graphs.graph import Graph, IndexArray
from ..graphs.names import named
from ..ingest import as_graph
from ..results.forest import HEAD, INNER, OUTER, REST, TAIL, Forest, grow
from ..results.general_matching import GeneralMatching
from ..results.tutte_berge import grown_forest, verify_general
from ..settings import GeneralSettings
from ..shown import COLOURS, Shown, rectangles
from ..solve.maximum import maximum_matching
from ..wording import in_words
from .roles import EVERY, NONE, SOME, Codes

__all__ = ["GallaiEdmonds", "GeneralEdgeRoles", "gallai_edmonds", "general_edge_roles"]

LARGEST = 1 << 62  # no search has so many edges
_ON_A_CIRCLE = 40  # vertices at most


@dataclass(frozen=True, repr=False)
class GallaiEdmonds(Shown):
    """Three sets of vertices, by what maximum matchings do to them; see `gallai_edmonds`.

    Attributes
    ----------
    D
        Vertices that some maximum matching leaves out.
    A
        Neighbours of these that every maximum matching matches: each into a component of D.
    C
        All others: matched among themselves by every maximum matching.
    component
        Of each vertex in D the number of its component, from 0 on; −1 for all others.
    matching
        The maximum matching that it was found by.

    Examples
    --------
    >>> import berge
    >>> star = berge.Graph.from_edges([0, 0, 0], [1, 2, 3])
    >>> parts = berge.gallai_edmonds(star)
    >>> parts.n_components, parts.unmatched
    (3, 2)
    """

    D: IndexArray
    A: IndexArray
    C: IndexArray
    component: IndexArray
    matching: GeneralMatching

    @property
    def n_components(self) -> int:
        """Number of components of D."""
        return int(self.component.max(initial=-1)) + 1

    @property
    def unmatched(self) -> int:
        """Number of vertices that every maximum matching leaves out: components of D less A."""
        return self.n_components - self.A.size

    def named(self) -> tuple[list[Any], list[Any], list[Any]]:
        """Return the names of the vertices in D, in A and in C; numbers where there are none.

        Examples
        --------
        >>> import berge, networkx
        >>> berge.gallai_edmonds(networkx.star_graph(["hub", "x", "y"])).named()
        (['x', 'y'], ['hub'], [])
        """
        d, a, c = (named(self.matching.labels, part) for part in (self.D, self.A, self.C))
        return d, a, c

    def plot(self, graph: Any, path: str | PathLike[str] | None = None, name: str = "graph") -> Any:
        """Draw the graph by its sets, D first, one component after the other.

        Parameters
        ----------
        graph
            What was decomposed.
        path
            Where to write the picture, if anywhere: .png, .svg or .pdf.
        name
            What to call it.
        """
        graph = as_graph(graph)
        ends = np.repeat(np.arange(graph.n_vertices), graph.degrees)
        once = ends < graph.indices
        rows, cols = ends[once], graph.indices[once]
        place = np.zeros(graph.n_vertices, np.int8)
        place[self.A], place[self.C] = 1, 2
        kind = np.maximum(place[rows], place[cols])
        kind[place[rows] != place[cols]] = 3
        kind[kind == 1] = 3
        said = ((3, "other edges", GREY), (0, "within D", COLOURS[0]), (2, "within C", COLOURS[1]))
        kinds = [Kind(text, c, rows[kind == k], cols[kind == k]) for k, text, c in said]
        order = np.concatenate(
            [self.D[np.argsort(self.component[self.D], kind="stable")], self.A, self.C]
        )
        vertices = [(COLOURS[0], COLOURS[2], COLOURS[1])[k] for k in place[:_ON_A_CIRCLE].tolist()]
        title = f"{name}: {repr(self)[len('GallaiEdmonds(') : -1]}"
        look = {"labels": graph.labels, "order": order, "vertices": vertices}
        return draw_graph(graph.n_vertices, kinds, path, title=title, **look)

    def _facts(self) -> Iterator[tuple[str, str]]:
        texts = "some maximum matching leaves out", "their neighbours", "all others"
        for name, text, part in zip("DAC", texts, self.named(), strict=True):
            yield f"{name}: {text}", in_words(part, 10) or "none"
        yield "unmatched", f"{self.unmatched:,}: {self.n_components:,} components of D less A"

    def _picture(self) -> str:
        n, at = self.D.size + self.A.size + self.C.size, 0
        parts = []
        for name, colour, part in zip("DAC", (COLOURS[0], COLOURS[2], COLOURS[1]),
                                      (self.D, self.A, self.C), strict=True):  # fmt: skip
            parts.append((name, colour, (at, at + part.size, at, at + part.size)))
            at += part.size
        return rectangles((n, n), parts, "vertices by set")

    def __repr__(self) -> str:
        sizes = f"D={self.D.size:,}, A={self.A.size:,}, C={self.C.size:,}"
        return f"GallaiEdmonds({sizes}; {self.n_components:,} components of D)"


def gallai_edmonds(
    graph: Any, matching: GeneralMatching | None = None, **options: Unpack[GeneralSettings]
) -> GallaiEdmonds:
    """Tell which vertices may stay unmatched, and why: the counterpart of Dulmage–Mendelsohn.

    Parameters
    ----------
    graph
        Anything `as_graph` takes.
    matching
        A maximum matching of it, if there is one already.
    **options
        For `maximum_matching`.

    Raises
    ------
    ProofError
        If the matching that was given is not a maximum matching of the graph.

    Examples
    --------
    >>> import berge
    >>> star_and_edge = berge.Graph.from_edges([0, 0, 0, 4], [1, 2, 3, 5])
    >>> parts = berge.gallai_edmonds(star_and_edge)
    >>> parts
    GallaiEdmonds(D=3, A=1, C=2; 3 components of D)
    >>> parts.D.tolist(), parts.A.tolist(), parts.C.tolist()
    ([1, 2, 3], [0], [4, 5])

    Notes
    -----
    O(vertices + edges) besides the matching.
    """
    graph = as_graph(graph)
    if matching is None:
        matching = maximum_matching(graph, **options)
    elif not isinstance(matching, GeneralMatching):
        kind = type(matching).__name__
        raise InvalidMatchingError(f"matching must be a GeneralMatching, not {kind}")
    matching = matching.settled()
    verify_general(graph, matching)
    if matching.stats is not None and matching.stats.stopped and not matching.is_maximum:
        raise ProofError(f"stopped before the matching was maximum: {matching.stats.stopped}")
    kind, base = grown_forest(graph, matching.mate)
    sets = [np.flatnonzero(kind == which) for which in (OUTER, INNER, REST)]
    component = np.full(graph.n_vertices, -1, graph.indices.dtype)
    component[sets[0]] = np.unique(base[sets[0]], return_inverse=True)[1]
    return GallaiEdmonds(sets[0], sets[1], sets[2], component, matching)


@dataclass(frozen=True, repr=False)
class GeneralEdgeRoles(Codes):
    """Which edges are in every, some or no maximum matching, and which vertices in every one.

    Attributes
    ----------
    codes
        A number for every entry of ``graph.indices``, which has each edge twice: 2 if it is in
        every maximum matching, 1 if in some but not in every one, 0 if in none.
    graph
        Whose edges these are.
    vertices
        Mask: which vertices every maximum matching matches.
    decomposition
        What it was read from.

    Examples
    --------
    >>> import berge
    >>> triangle_and_edge = berge.Graph.from_edges([0, 1, 2, 3], [1, 2, 0, 4])
    >>> berge.edge_roles(triangle_and_edge)
    EdgeRoles(1 in every maximum matching, 3 in some, 0 in none)
    """

    vertices: npt.NDArray[np.bool_]
    decomposition: GallaiEdmonds

    entries_of_an_edge = 2


def general_edge_roles(graph: Graph, **options: Any) -> GeneralEdgeRoles:
    """Tell the roles of the edges of a graph, see `berge.edge_roles`."""
    parts = gallai_edmonds(graph, **options)
    kind = np.full(graph.n_vertices, REST, np.uint8)
    kind[parts.D], kind[parts.A] = OUTER, INNER
    ends = np.repeat(kind, graph.degrees)
    others = kind[graph.indices]
    codes = np.full(ends.size, NONE, np.uint8)
    codes[(ends == OUTER) | (others == OUTER)] = SOME
    forest = Forest.of(graph, np.array(parts.matching.mate))
    forest.kind[:] = np.where(kind == REST, REST, INNER)
    u = 0
    while u < graph.n_vertices:
        u = mark_allowed(forest, codes, u, 1 << 24)
    vertices = kind != OUTER
    return GeneralEdgeRoles(codes, graph, vertices, parts)


@kernel
def mark_allowed(f: Any, codes: Any, u: int, budget: Any) -> int:
    """Write the codes of edges within C, at u and the vertices after it; return the next vertex.

    Vertices outside C are marked as inner, so that no search enters them.
    """
    kind, mate, queue, state, base = f.kind, f.mate, f.queue, f.state, f.base
    while u < mate.size and budget > 0:
        budget -= 1
        if kind[u] != REST:
            u += 1
            continue
        root = np.int64(mate[u])
        kind[u], kind[root], mate[root] = INNER, OUTER, -1
        queue[0] = root
        state[HEAD], state[TAIL] = 0, 1
        grow(f, LARGEST)
        some = False
        at = np.int64(-1)  # the entry of the edge to the mate
        for k in range(f.indptr[u], f.indptr[u + 1]):
            v = np.int64(f.indices[k])
            if v == root:
                at = np.int64(k)
            elif kind[v] == OUTER:
                codes[k] = SOME
                some = True
        codes[at] = SOME if some else EVERY
        mate[root] = u
        for i in range(state[TAIL]):
            x = np.int64(queue[i])
            budget -= np.int64(f.indptr[x + 1] - f.indptr[x])
            kind[x], kind[mate[x]] = REST, REST
            base[x], base[mate[x]] = x, mate[x]
        u += 1
    return u

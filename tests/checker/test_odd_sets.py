"""The checker of heaviest matchings: by its specification, in exact fractions, case by case."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from numpy.random import default_rng

from berge.checker.odd_sets import check_weight
from berge.errors import ProofError

from .test_check import Agrees, ints
from .test_general import specified as matched

# A triangle 0, 1, 2 whose edges weigh 2, and an edge of 5 from 2 to 3; 0 1 2 are a set, priced 2.
EDGES = [(ints(0, 1), ints(1, 2), ints(2, 2)), (ints(2, 2, 3), ints(0, 3, 3), ints(2, 5, 99))]
PROOF = {
    "n": 4, "edges": EDGES, "mate": ints(1, 0, 3, 2), "prices": ints(1, 1, 1, 9),
    "parent": ints(4, 4, 4, -1, -1), "set_prices": ints(2), "floor": 0,
}  # fmt: skip
SINGLE = {"parent": ints(4, 5, 6, -1, -1, -1, -1), "set_prices": ints(2, 2, 2)}


def checked(**changes):
    proof = PROOF | changes
    return check_weight(**(proof | {"edges": iter(proof["edges"])}))


def floats(**changes):
    """The same with floating-point numbers."""
    proof = PROOF | changes
    pieces = [(u, v, w.astype(float)) for u, v, w in proof["edges"]]
    both = {name: np.asarray(proof[name], float) for name in ("prices", "set_prices")}
    return checked(**(changes | both | {"edges": pieces, "floor": float(proof["floor"])}))


def test_bounds():
    assert checked() == floats() == (2, 7, 7)
    assert checked(prices=ints(1, 1, 2, 9)) == (2, 7, 8)  # rounded up
    assert floats(prices=ints(1, 1, 2, 9)) == (2, 7.0, 7.5)
    assert checked(mate=ints(1, 0, -1, -1)) == (1, 2, 7)
    assert checked(floor=-1) == checked(floor=-9) == (2, 7, 7)  # no vertex is left
    assert checked(mate=ints(1, 0, -1, -1), floor=-1) == (1, 2, 8)
    assert floats(mate=ints(1, 0, -1, -1), floor=-1) == (1, 2.0, 8.0)
    nothing = {"prices": ints(), "parent": ints(), "set_prices": ints(), "mate": ints()}
    assert checked(n=0, edges=[], **nothing) == (0, 0, 0)


def test_the_heaviest_of_parallel_edges_counts():
    twice = [*EDGES, (ints(1, 0), ints(0, 1), ints(1, -3))]
    assert checked(edges=twice) == (2, 7, 7)
    assert checked(edges=twice[::-1]) == (2, 7, 7)


def test_what_floating_point_numbers_lack_is_made_up_for():
    """A price that is ½ too low makes up for at most two pairs."""
    assert floats(prices=np.array([1, 1, 1, 8.5])) == (2, 7.0, 7.25)
    assert floats(prices=np.array([1, 1, 1, 8.5]), mate=ints(1, 0, -1, -1)) == (1, 2.0, 7.25)
    assert floats(prices=np.array([1, 1, 0.5, 8.5])) == (2, 7.0, 7.5)
    unit = 5e-324
    alone = {"n": 2, "edges": [], "mate": ints(-1, -1), "parent": ints(-1, -1)}
    for twice, half in ((1, 1), (2, 1), (9, 5)):  # of the smallest number there is no half
        tiny = np.array([twice * unit, 0])
        assert floats(**alone, prices=tiny, set_prices=ints()) == (0, 0.0, half * unit)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"prices": ints(1, 1, 0, 9)}, "the prices of [12] and [23] are too low"),
        ({"prices": ints(1, 1, 1, 8)}, "the prices of 2 and 3 are too low"),
        ({"parent": ints(4, 4, -1, -1, -1)}, "a set has an even number of vertices, or .*"),
        ({"parent": ints(4, 4, 4, 4, -1)}, "a set has an even number of vertices, or .*"),
        ({"parent": ints(-1, -1, -1, -1, -1)}, "a set has an even number of vertices, or .*"),
        ({"set_prices": ints(-1), "prices": ints(9, 9, 9, 9)}, ".* or a price below 0"),
        ({"parent": ints(4, 4, 4, -1, 4)}, "node 4 cannot be in set 0"),
        ({"parent": ints(4, 4, 3, -1, -1)}, "node 2 cannot be in set -1"),
        ({"parent": ints(4, 4, 5, -1, -1)}, "node 2 cannot be in set 1"),
        ({"parent": ints(4, -2, 4, -1, -1)}, "node 1 cannot be in set -6"),
        (SINGLE | {"parent": ints(5, 4, 6, -1, -1, 4, -1)}, "node 5 cannot be in set 0"),
        (SINGLE, "the prices of 0 and 1 are too low"),
        ({"floor": 1, "prices": ints(9, 9, 9, 9)}, "a price is below the floor 1, or this is .*"),
        ({"floor": -1, "prices": ints(9, 9, -2, 19)}, "a price is below the floor -1, or .*"),
        ({"floor": 0.0}, "floor must be a .* signed integers, not .*"),
        ({"floor": 2**58}, "floor must be numbers of 64 bits, below .*"),
        ({"floor": -(2**58), "prices": ints(2, 2, 2, 2**58)}, "prices must be .* below .*"),
        ({"prices": ints(2, 2, 2, -(2**63))}, "prices must be .* below .*"),
        ({"set_prices": ints(2**58)}, "set_prices must be .* below .*"),
        ({"set_prices": np.array([2.0])}, "set_prices must be .* signed integers, not .*"),
        ({"set_prices": ints(2, 2)}, "parent has 5 entries, not 6"),
        ({"parent": ints(4, 4, 4, -1)}, "parent has 4 entries, not 5"),
        ({"prices": ints(1, 1, 1)}, "prices has 3 entries, not 4"),
        ({"prices": [1, 1, 1, 9]}, "prices must be a numpy array, not a list"),
        ({"prices": ints(1, 1, 1, 9).astype(object)}, "prices must be .* not .* of object"),
        ({"prices": np.array([[None]])}, "prices must be .* not a 2-dimensional one of object"),
        ({"mate": ints(1, 0, 3)}, "mate has 3 entries, not 4"),
        ({"mate": ints(1, 0, 4, 2)}, "vertex 2 is matched to vertex 4: out of range"),
        ({"mate": ints(3, -1, -1, 0)}, "vertex 0 is matched to vertex 3, not a neighbour"),
        ({"edges": [(ints(0), ints(4), ints(1))]}, "an edge has vertex 4: out of range"),
        ({"edges": [(ints(4), ints(0), ints(1))]}, "an edge has vertex 4: out of range"),
        ({"edges": [(ints(0, 1), ints(1), ints(1))]}, "edges has 1 entries, not 2"),
        ({"edges": [(ints(0), ints(1), ints(1, 1))]}, "weights has 2 entries, not 1"),
        ({"edges": [(ints(0), ints(1), ints(-(2**58)))]}, "weights must be .* below .*"),
        ({"edges": [(ints(0), ints(1), np.ones(1))]}, "weights must be .* signed integers, not .*"),
        ({"edges": [(ints(0), ints(1), None)]}, "weights must be a numpy array, not a NoneType"),
        ({"n": 2**26, "mate": np.full(2**26, -1, np.int8)}, "a proof by prices is for less .*"),
    ],
)  # fmt: skip
def test_refuses_what_is_wrong(changes, message):
    with pytest.raises(ProofError, match=f"^{message}$"):
        checked(**changes)


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf, 2.0**900, -(2.0**900)])
def test_refuses_what_is_no_number(number):
    for changes in (
        {"prices": np.array([number, 1, 1, 9])},
        {"set_prices": np.array([number])},
        {"floor": number},
        {"edges": [(ints(0), ints(1), np.array([number]))]},
    ):
        with pytest.raises(ProofError, match="must be numbers of 64 bits, below"):
            floats(**changes)


@pytest.mark.parametrize("kind", ["i", "f"])
def test_sums_of_prices_of_sets_stay_in_range(kind):
    """Set after set around one vertex."""
    k = 9
    proof = {"n": 1, "edges": [], "mate": ints(-1), "parent": ints(*range(1, k + 1), -1)}
    largest = {"i": 2**58, "f": 2.0**900}[kind]
    prices = np.array([largest / 8 if kind == "f" else largest // 8] * k)
    zero = prices[:1] * 0
    prices[0] = 0  # the others are the largest number together
    with pytest.raises(ProofError, match="sums of set_prices must be below"):
        checked(**proof, prices=zero, set_prices=prices, floor=zero[0].item())
    prices[1] = 0
    assert checked(**proof, prices=zero, set_prices=prices, floor=zero[0].item()) == (0, 0, 0)


def test_numbers_of_vertices_are_not_cut_off():
    """Sets have higher numbers than the type of the edges can hold."""
    parent = ints(*range(100, 139), *[139] * 61, *[-1] * 40)
    prices, sets = np.full(100, 2), np.zeros(40, np.int64)
    prices[97:], sets[39] = 0, 2
    edges = [(ints(98, dtype=np.int8), ints(99, dtype=np.int8), ints(1))]
    mate = ints(*[-1] * 98, 99, 98)
    found = checked(n=100, edges=edges, mate=mate, prices=prices, parent=parent, set_prices=sets)
    assert found[:2] == (1, 1)


def test_subclasses_do_not_compare_for_themselves():
    with pytest.raises(ProofError, match="too low"):
        checked(prices=ints(0, 0, 0, 0).view(Agrees))


def exactly(n, edges, m, y, z, p, s):
    """The specification in the head of odd_sets.py, word by word: (|M|, low, high), or None."""
    k, heaviest = len(z), {}
    for u, v, w in edges:
        pair = frozenset((u, v))
        heaviest[pair] = max(w, heaviest.get(pair, w))
    found = matched(n, heaviest, m)
    if found is None or not all(
        p[i] == -1 or (n <= p[i] < n + k and p[i] > i) for i in range(n + k)
    ):
        return None

    def around(node):
        while node != -1:
            yield (node := p[node])

    inside = [{v for v in range(n) if n + j in around(v)} for j in range(k)]
    if not all(len(b) % 2 == 1 and z[j] >= 0 for j, b in enumerate(inside)):
        return None
    if not all(s <= price for price in y) or s > 0:
        return None
    lacks = [
        2 * w - y[u] - y[v] - sum(z[j] for j, b in enumerate(inside) if {u, v} <= b)
        for u, v, w in edges
        if u != v
    ]
    lack = max(lacks, default=0) if max(lacks, default=0) > 0 else 0
    twice = sum(price - s for price in y) + 2 * s * found[0] + lack * (n // 2)
    twice += sum((len(b) - 1) // 2 * z[j] for j, b in enumerate(inside))
    return found[0], found[1], Fraction(twice) / 2, lack


def draw(rng, number):
    """Draw a graph, a matching and prices that may be a proof; numbers come from `number`."""
    n = int(rng.integers(0, 6))
    m = int(rng.integers(0, 9)) if n else 0
    edges = [(*rng.integers(0, n, 2).tolist(), number(-2, 5)) for _ in range(m)]
    mate = [-1] * n
    for u, v, _ in edges:
        if u != v and mate[u] == mate[v] == -1 and rng.integers(4):
            mate[u], mate[v] = v, u
    k = int(rng.integers(0, 3)) if n > 2 else 0
    parent, free = [-1] * (n + k), list(range(n))
    for j in range(k):  # from three that are in no set yet
        some = rng.permutation(free)[:3].tolist() if len(free) > 2 else free[:1]
        free = [i for i in free if i not in some] + [n + j]
        for i in some:
            parent[i] = n + j
    floor = rng.choice([0, 0, -1, -2]).item() * number(1, 2)
    prices = [floor + number(0, 8) for _ in range(n)]
    sets = [number(0, 4) for _ in range(k)]
    if n and not rng.integers(4):  # something is wrong
        [mate, parent, prices, sets or prices][rng.integers(4)][0] = int(
            rng.integers(-2, n + k + 1)
        )
    return n, edges, mate, prices, sets, parent, floor


def answer(n, edges, mate, prices, sets, parent, floor, kind):
    cut = len(edges) // 2
    pieces = [
        (ints(*(e[0] for e in part)), ints(*(e[1] for e in part)),
         np.array([e[2] for e in part], kind))
        for part in (edges[:cut], edges[cut:])
    ]  # fmt: skip
    given = np.array(prices, kind), ints(*parent), np.array(sets, kind), floor
    try:
        return check_weight(n, pieces, ints(*mate), *given)
    except ProofError:
        return None


@pytest.mark.parametrize("seed", range(20))
def test_is_the_specification(seed):
    rng = default_rng(seed)
    right = 0
    for _ in range(60):
        drawn = draw(rng, lambda low, high: int(rng.integers(low, high)))
        found, expected = answer(*drawn, "i8"), exactly(*drawn)
        if expected is None or expected[3]:  # integers lack nothing
            assert found is None
            continue
        assert found == (*expected[:2], -(-expected[2] // 1))
        right += 1
    assert right > 3


@pytest.mark.parametrize("seed", range(40))
def test_rounds_outwards_and_no_further(seed):
    """Numbers of few digits are exact; of others low and high are what is next to them."""
    rng = default_rng(seed)
    far = 10.0 ** rng.integers(-18, 18) if seed % 4 == 3 else 1.0
    few, right = seed % 2 == 0, 0

    def number(low, high):
        if few:
            return rng.integers(8 * low, 8 * high).item() / 8
        return rng.uniform(low, high) * (far if rng.integers(2) else 1.0)

    for _ in range(60):
        drawn = draw(rng, number)
        found = answer(*drawn, "f8")
        n, edges, mate, prices, sets, parent, floor = drawn
        exact = [(u, v, Fraction(w)) for u, v, w in edges]
        y, z = list(map(Fraction, prices)), list(map(Fraction, sets))
        expected = exactly(n, exact, mate, y, z, parent, Fraction(floor))
        if expected is None:
            assert found is None
            continue
        right += 1
        size, low, high, _ = expected
        assert found[0] == size
        assert Fraction(found[1]) <= low
        assert Fraction(found[2]) >= high
        scale = sum(abs(x) for x in [*y, *z, Fraction(floor) * n, *(w for _, _, w in exact), low])
        if few:
            assert (found[1], found[2]) == (low, high)
        else:
            assert low - Fraction(found[1]) <= scale * 2**-50
            assert Fraction(found[2]) - high <= scale * n * 2**-50
    assert right > 3


@pytest.mark.parametrize("seed", range(20))
def test_what_is_proved_is_heaviest(seed):
    """Against all matchings with as many pairs."""
    rng = default_rng(seed)
    for _ in range(20):
        drawn = draw(rng, lambda low, high: int(rng.integers(low, high)))
        n, edges = drawn[:2]
        found = answer(*drawn, "i8")
        if found is None or n > 4:
            continue
        heaviest = {}
        for u, v, w in edges:
            heaviest[frozenset((u, v))] = max(w, heaviest.get(frozenset((u, v)), w))
        others = (matched(n, heaviest, m) for m in product(range(-1, n), repeat=n))
        assert all(other[1] <= found[2] for other in others if other and other[0] >= found[0])

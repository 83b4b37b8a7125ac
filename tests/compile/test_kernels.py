"""Atomics, clock and threads, compiled and not."""

from __future__ import annotations

import numpy as np
import pytest

from berge.compile import compare_and_swap, fetch_add, kernel, prange, thread_count, ticks
from berge.graphs import passes as sweeps

pytestmark = pytest.mark.kernels


@kernel(parallel=True)
def count_and_claim(n, slots, counter, claimed, wins):
    for i in prange(n):
        fetch_add(counter, 0, 1)
        if compare_and_swap(claimed, i % slots, np.uint8(0), np.uint8(1)):
            fetch_add(wins, 0, 1)


@kernel
def swaps(array):
    first = compare_and_swap(array, 1, 5, 7)
    second = compare_and_swap(array, 1, 5, 9)
    return first, second, fetch_add(array, 0, 3)


@kernel
def two_ticks():
    begin = ticks()
    return begin, ticks()


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_no_update_is_lost(threads):
    n, slots = 20_000, 100
    counter, wins = np.zeros(1, np.int64), np.zeros(1, np.int64)
    claimed = np.zeros(slots, np.uint8)
    with thread_count(threads):
        count_and_claim(n, slots, counter, claimed, wins)
    assert counter[0] == n
    assert wins[0] == slots
    assert claimed.all()


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint8])
def test_swaps_and_adds_one_by_one(dtype):
    array = np.array([1, 5], dtype)
    assert swaps(array) == (True, False, 1)
    assert array.tolist() == [4, 7]


def test_clock_runs_forward():
    begin, end = two_ticks()
    assert 0 < begin <= end < begin + 10**9


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("size", [0, 1, 2, 1000])
def test_sweeps_do_what_numpy_does(size, dtype, threads, monkeypatch):
    monkeypatch.setattr(sweeps, "SHARED_WRITES", 10)
    monkeypatch.setattr(sweeps, "SHARED_READS", 10)
    rng = np.random.default_rng(size)
    values = rng.integers(-1, 5, size).astype(dtype)
    with thread_count(threads):
        assert np.array_equal(sweeps.unmatched(size, dtype), np.full(size, -1, dtype))
        pairs = np.full(2 * size, 7, dtype)
        sweeps.pair_up(values, pairs)
        assert np.array_equal(pairs[::2], np.zeros(size))
        assert np.array_equal(pairs[1::2], values)
        sweeps.pair_up(values.astype(np.int32), pairs)  # of narrower numbers
        assert np.array_equal(pairs[1::2], values)
        rising = np.maximum(values, 0)
        steps = np.diff(rising)
        assert sweeps.count_rises(rising) == ((steps > 0).sum(), (steps < 0).sum())
        if size:
            assert sweeps.largest(rising) == rising.max()
            assert sweeps.largest(np.append(rising, -1).astype(dtype)) > np.iinfo(dtype).max
        rows = np.empty(size + 1, dtype)
        indptr = np.append(0, np.cumsum(np.arange(size) % 2)).astype(dtype)
        listed = rows[: sweeps.list_unmatched(indptr, values, rows)]
        assert np.array_equal(listed, np.flatnonzero((values < 0) & (np.arange(size) % 2 == 1)))

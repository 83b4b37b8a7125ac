"""The CUDA form of every kernel: run in numba's simulator, compiled with no GPU, run on one.

The simulator has a process of its own.
"""

from __future__ import annotations

import ctypes
import importlib
import re
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numba
import numpy as np
import pytest

import berge
from berge import BipartiteGraph, generate
from berge.compile.device import CpuDevice, Device, ItemKernel
from berge.compile.scan import compact, prefix_sum
from berge_lab.bench.stress import random_graph, variants

from ..conftest import COMPILED, in_simulator, simulator
from ..corpus import SMALL
from ..methods.push_relabel.test_g_pr import launch_what_is_seldom_needed
from ..results.test_on_device import launch_all

VARIANTS = variants()
IN_THE_SIMULATOR = [name for name in VARIANTS if "concurrent" not in name]
CAPABILITIES = [(7, 5), (8, 0), (9, 0), (12, 0)]
REGISTERS = re.compile(r"Used (\d+) registers")

pytest.importorskip("numba.cuda", reason="numba-cuda is not installed")
compiled = pytest.mark.skipif(not COMPILED, reason="the compiler is off")


def kernels_of_the_package() -> set[ItemKernel]:
    """All per-item kernels that any module of berge has."""
    package = Path(berge.__file__).parent
    found = set()
    for file in package.rglob("*.py"):
        if "@per_item" in file.read_text(encoding="utf-8"):
            name = ".".join(("berge", *file.relative_to(package).with_suffix("").parts))
            things = vars(importlib.import_module(name)).values()
            found.update(thing for thing in things if isinstance(thing, ItemKernel))
    return found


def copied(argument):
    """A copy, as on a device: what is read-only here is not so there."""
    if isinstance(argument, tuple):
        return type(argument)(*map(copied, argument))
    return argument.copy() if hasattr(argument, "copy") else argument


@cache
def arguments_of_kernels(index: type) -> dict[ItemKernel, tuple]:
    """What each kernel is launched with, noted while all algorithms run on CPU threads."""
    from berge.compile.cuda import set_all

    noted: dict[ItemKernel, tuple] = {}
    run = CpuDevice._run

    def note(self, kernel, n, arguments, shape):
        noted.setdefault(kernel, tuple(map(copied, arguments)))
        return run(self, kernel, n, arguments, shape)

    graph = with_indices(generate.permute(generate.karp_sipser_hard(24, 4)), index)
    path = berge.Graph.from_edges(np.arange(39), np.arange(1, 40), weights=np.ones(39))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CpuDevice, "_run", note)
        for serial in (0, 512):
            patch.setattr("berge.compile.device.SERIAL_ITEMS", serial)
            for algorithm, options in VARIANTS.values():
                for statistics in ("on", "off"):
                    berge.maximum_matching(
                        graph,
                        algorithm=algorithm.name,
                        init="cheap",
                        threads=2,
                        statistics=statistics,
                        **options,
                    )
            for greedy in berge.algorithms("greedy"):
                if "cuda" in greedy.devices:
                    for threads in (1, 2):
                        berge.greedy_matching(path, method=greedy.name, threads=threads)
        launch_what_is_seldom_needed(graph)
        launch_all(graph)
        source = np.arange(9, dtype=index)
        compact(CpuDevice(1), source, 9, source.copy(), source.copy())
    noted[set_all] = source, index(0)  # on CPU threads numpy does this
    return noted


@compiled
@pytest.mark.parametrize("capability", CAPABILITIES, ids=lambda c: f"{c[0]}.{c[1]}")
def test_every_kernel_compiles_for(capability, record_property):
    """To PTX and to a cubin, with nothing spilled to memory."""
    pytest.importorskip("cuda.core", reason="cuda-core is not installed")
    from berge.compile.cuda import compile_for

    noted = arguments_of_kernels(np.int32)
    assert set(noted) == kernels_of_the_package(), "kernels that no algorithm launched"
    for kernel, arguments in noted.items():
        check_compiled(kernel, compile_for(kernel, arguments, capability), record_property)


@compiled
def test_scans_compile():
    from numba import cuda, types

    from berge.compile.cuda import add_before, scan_blocks

    for index in (types.int32, types.int64):
        for kernel in (scan_blocks, add_before):
            arguments = types.int64, index[::1], types.int64[::1]
            ptx, _ = cuda.compile_ptx(kernel.py_func, arguments, cc=(8, 0))
            assert kernel.__name__ in ptx
            assert ("bar.sync" in ptx) == (kernel is scan_blocks)


@compiled
def test_compiled_kernels_are_kept(tmp_path, monkeypatch):
    """On the disk, until any source that they are made of changes; beside those for the CPU."""
    from numba import cuda, typeof, types
    from numba.cuda import codegen, dispatcher

    from berge.compile import shared_count, sources
    from berge.compile.cuda import _kept, _loop
    from berge.methods.augmenting.apfb import Arrays, counted_gpubfs

    device = SimpleNamespace(compute_capability=(8, 0), id=0)  # of which nothing else is asked
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(dispatcher, "get_current_device", lambda: device)
    monkeypatch.setattr(codegen.devices, "get_context", lambda *_: SimpleNamespace(device=device))
    monkeypatch.setattr(dispatcher._Kernel, "bind", lambda self: self._codelibrary.get_cubin())
    arrays = Arrays(*[np.zeros(4, np.int32)] * 7, *[np.zeros(4, np.int64)] * 2)
    signature = types.int64, types.int64, typeof(arrays), types.int64, types.int64

    def compile_it():
        loop = _kept(cuda.jit(_loop(counted_gpubfs)))
        made = loop.compile(signature)
        return made._codelibrary.get_asm_str(), sum(loop._cache_hits.values())

    ptx, hits = compile_it()
    assert hits == 0
    assert compile_it() == (ptx, 1)
    assert {file.name.partition("-")[0] for file in tmp_path.rglob("*.nb?")} == {"cuda"}
    device.compute_capability = 9, 0
    assert compile_it()[1] == 0
    # A helper of another file changes.
    monkeypatch.setitem(sources._noted, shared_count.__file__, "changed")
    assert compile_it()[1] == 0


@pytest.fixture
def no_driver(monkeypatch, tmp_path):
    """A device of which there is no more than a capability; what would be launched is returned."""
    from numba.cuda import codegen, dispatcher
    from numba.cuda.cudadrv import driver

    device = SimpleNamespace(compute_capability=(8, 0), id=0)
    context = SimpleNamespace(device=device)
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(dispatcher, "get_current_device", lambda: device)
    monkeypatch.setattr(codegen.devices, "get_context", lambda *_: context)
    monkeypatch.setattr(driver, "_to_core_stream", lambda stream: stream)
    monkeypatch.setattr(dispatcher._Kernel, "bind", lambda self: None)
    loaded = lambda library: SimpleNamespace(kernel=library.name, module=None)  # noqa: E731
    monkeypatch.setattr(codegen.CUDACodeLibrary, "get_cufunc", loaded)
    launched: list[tuple] = []
    monkeypatch.setattr(dispatcher, "launch", lambda *words: launched.append(words))
    return launched


def there(size: int, dtype: type, address: int):
    """An array that is said to be on the device."""
    from numba.cuda.cudadrv.devicearray import DeviceNDArray

    item = np.dtype(dtype).itemsize
    memory = SimpleNamespace(
        device_ctypes_pointer=ctypes.c_void_p(address), size=size * item, _cuda_memsize_=size * item
    )
    return DeviceNDArray((size,), (item,), dtype, gpu_data=memory)


def plainly(words):
    return [(type(w).__name__, w.value) if hasattr(w, "value") else w for w in words]


@compiled
def test_launches_are_those_of_numba(no_driver, monkeypatch):
    """Word by word, the first time and again, though tuples are taken apart but once."""
    from berge.compile.cuda import KEPT, _configured, _Launcher, grid_kernel, set_all
    from berge.methods.greedy import suitor
    from berge.methods.push_relabel import g_gr

    def of_relabelling(k):
        sizes = [there(30 + k + i, np.int32, 4096 * (i + 1)) for i in range(8)]
        return g_gr.Arrays(*sizes, there(4, np.int64, 1 << 20), np.int64(61))

    graph = [there(9, np.int64, 64), there(20, np.int32, 256), there(20, np.float64, 1024)]
    offers = [there(8, kind, 8192) for kind in (np.int32, np.float64, np.float64)]
    several = [of_relabelling(k) for k in range(KEPT + 3)]
    calls = [
        *((g_gr.g_gr_krnl, (a, np.int64(2))) for a in several),
        (g_gr.g_gr_krnl, (several[0], np.int64(4))),
        (suitor.propose, (np.int64(0), suitor.Arrays(*graph, *offers), True)),
        (set_all, (there(7, np.int32, 64), np.int32(-1))),
    ]
    start = _Launcher()
    for kernel, arguments in (*calls, *calls):
        configured = _configured(grid_kernel(kernel), 3, 256, 0)
        configured(30, 0, *arguments)
        start(configured, 30, 0, *arguments)
        theirs, ours = no_driver[-2:]
        assert plainly(theirs) == plainly(ours)
    assert start.knows
    assert len(start.apart) == KEPT
    # Another numba-cuda, of which nothing is known.
    monkeypatch.setattr(start, "prepare", lambda *_: None.words)
    start(configured, 30, 0, *arguments)
    assert not start.knows
    assert plainly(no_driver[-1]) == plainly(ours)


@compiled
def test_every_kernel_compiles_with_64_bit_indices(record_property):
    pytest.importorskip("cuda.core", reason="cuda-core is not installed")
    from berge.compile.cuda import compile_for

    for kernel, arguments in arguments_of_kernels(np.int64).items():
        check_compiled(kernel, compile_for(kernel, arguments, (8, 0)), record_property)


# What the papers need no atomic operations for: all their kernels, when nothing is counted.
WITHOUT_ATOMICS = {
    "init_bfs_array", "gpubfs", "alternate", "alternate_named", "fix_matching", "init_relabel",
    "g_gr_krnl", "g_pr_krnl", "g_pr_initkrnl", "g_pr_pushkrnl",
}  # fmt: skip
ATOMIC = re.compile(r"^\s*(?:atom|red)\.", re.MULTILINE)
LOAD = re.compile(r"^\s*ld\.global", re.MULTILINE)


def check_compiled(kernel, result, record_property):
    ptx, cubin, log = result
    atomics, loads = (len(found.findall(ptx)) for found in (ATOMIC, LOAD))
    assert atomics == 0 or kernel.__name__ not in WITHOUT_ATOMICS
    assert atomics > 0 or not kernel.__name__.startswith("counted_gpubfs")
    assert f"{kernel.__name__}_of_items" in ptx
    assert cubin.startswith(b"\x7fELF")
    spills = re.findall(r"(\d+) bytes spill (?:stores|loads)", log)
    assert spills, log
    assert set(spills) == {"0"}, f"{kernel}: {log}"
    registers = int(REGISTERS.search(log)[1])
    record_property(
        kernel.__name__, f"{registers} registers, {loads} loads, {atomics} atomic operations"
    )
    assert registers <= 128, kernel  # 256 threads a block, two blocks a multiprocessor


def graphs_for_cuda():
    """Some graphs, small enough for a simulator in which each thread is one of Python's."""
    yield from (SMALL[name][0]() for name in ("no edges", "isolated vertices", "complete, tall"))
    yield from (random_graph(number) for number in range(6))


def with_indices(graph: BipartiteGraph, index: type) -> BipartiteGraph:
    return BipartiteGraph._trusted(
        graph.indptr.astype(index), graph.indices.astype(index), graph.shape
    )


def solve_on_cuda(name: str) -> None:
    """Solve and prove every graph by one variant, by turns with 32-bit and 64-bit indices."""
    algorithm, options = VARIANTS[name]
    for number, graph in enumerate(graphs_for_cuda()):
        graph = with_indices(graph, (np.int32, np.int64)[number % 2])
        expected = berge.maximum_matching(graph, algorithm="hopcroft-karp").cardinality
        matching = berge.maximum_matching(
            graph, algorithm=algorithm.name, init="none", device="cuda", **options
        )
        matching.prove(graph)
        assert matching.cardinality == expected
        assert matching.stats.device == "cuda"


def device_basics() -> None:
    """What `Device` promises, on CUDA."""
    from berge.compile.devices import open_device

    device: Device = open_device("cuda")
    source = np.array([3, -1, 0, -2, 7] * 40, np.int32)
    places, to = device.empty(200, np.int32), device.full(200, -1, np.int32)
    count = compact(device, device.upload(source), 200, places, to)
    assert device.download(to)[:count].tolist() == [3, 0, 7] * 40
    assert device.read(to, 2) == 7
    sums = device.upload(np.arange(1000))
    assert prefix_sum(device, sums) == 999 * 500
    assert np.array_equal(device.download(sums), np.arange(1000) * (np.arange(1000) - 1) // 2)


def time_limit_on_cuda(name: str) -> None:
    """What was found so far comes back from the device."""
    algorithm, options = VARIANTS[name]
    graph = random_graph(2)
    pauses = []

    def interrupt(report):
        pauses.append(report)
        if len(pauses) == 6:
            raise KeyboardInterrupt

    matching = berge.maximum_matching(
        graph, algorithm=algorithm.name, init="none", device="cuda", on_phase=interrupt, **options
    )
    berge.verify(graph, matching)
    assert matching.stats.stopped in (None, "interrupted")


@pytest.mark.kernels
@simulator
def test_every_variant_in_the_simulator():
    """In one process, as every one takes seconds to start. There is but one stream in there."""
    said = in_simulator("from tests.compile.test_cuda import run_all; run_all()")
    assert said.split() == IN_THE_SIMULATOR


def run_all() -> None:
    device_basics()
    for name in IN_THE_SIMULATOR:
        solve_on_cuda(name)
        time_limit_on_cuda(name)
        print(name)


@cache
def gpu_is_there() -> bool:
    from numba import cuda

    return bool(cuda.is_available())


@pytest.fixture
def gpu():
    if not gpu_is_there():
        pytest.skip("numba finds no CUDA device on this machine")


@pytest.mark.gpu
@pytest.mark.usefixtures("gpu")
def test_device_on_a_gpu():
    device_basics()


@pytest.mark.gpu
@pytest.mark.usefixtures("gpu")
@pytest.mark.parametrize("name", VARIANTS)
def test_variant_on_a_gpu(name):
    solve_on_cuda(name)
    time_limit_on_cuda(name)
    algorithm, options = VARIANTS[name]
    for graph in (
        generate.erdos_renyi(60_000, 50_000, 150_000),
        generate.permute(generate.grid(200, 190)),
        generate.rmat(15, 6),
    ):
        matching = berge.maximum_matching(
            graph, algorithm=algorithm.name, init="cheap", device="cuda", **options
        )
        matching.prove(graph)

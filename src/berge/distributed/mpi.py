"""`exchange` over MPI: counts and flags in one ``Alltoall``, the arrays in one ``Alltoallv``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import ClusterError, PeerLost
from .communicator import Array


class MPICommunicator:
    """A communicator of the ranks that ``mpiexec`` or ``srun`` started.

    Parameters
    ----------
    comm
        An mpi4py communicator; by default all ranks.
    """

    def __init__(self, comm: Any = None):
        try:
            from mpi4py import MPI
        except ImportError as error:
            raise ClusterError(
                f'MPI needs mpi4py: pip install "berge[mpi]", and an MPI library ({error})'
            ) from None
        self._mpi = MPI
        self.comm = MPI.COMM_WORLD if comm is None else comm
        self.rank: int = self.comm.Get_rank()
        self.size: int = self.comm.Get_size()

    def exchange(self, arrays: Sequence[Array], flag: int = 0) -> tuple[list[Array], int]:
        """Send ``arrays[p]`` to rank p; return what came from each, and the sum of the flags."""
        if self.size == 1:
            return list(arrays), flag
        out = np.array([[array.size, flag] for array in arrays], np.int64)
        back = np.empty_like(out)
        try:
            self.comm.Alltoall(out, back)
            counts = back[:, 0]
            buffer = np.empty(int(counts.sum()), np.int64)
            self.comm.Alltoallv(
                [np.concatenate(arrays, dtype=np.int64), out[:, 0].copy()], [buffer, counts.copy()]
            )
        except self._mpi.Exception as error:
            raise PeerLost(f"rank {self.rank} has lost another: {error}") from None
        return np.split(buffer, np.cumsum(counts)[:-1]), int(back[:, 1].sum())

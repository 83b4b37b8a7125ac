"""What goes wrong around a program: Ctrl-C, kills, full disks, other threads and processes."""

import os

# Before numba is imported; more than there may be cores.
os.environ.setdefault("NUMBA_NUM_THREADS", "4")

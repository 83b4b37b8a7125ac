"""The tuned numbers of kernels and of the default, each with where it comes from.

Modules import their numbers from here. Compiled kernels have them built in: after a change delete
numba's cache. "Guess" says that no benchmark shows the number; "performance.md" that the table or
note on it is there, in docs/, and "auto_rule.py", "in_rounds.py" that the script of that name in
lab/benchmarks/ measures it. Everything else is seen by ``berge bench``.

Numbers of distributed runs stand in ``distributed``: other machines and networks decide on them.
Bytes that a solve takes stand in ``graphs.memory``, buffers of files in ``files``.
"""

from __future__ import annotations

# All kernels: how long they run before they return, so that Ctrl-C and time limits take effect.
EDGES_PER_CALL = 1 << 24  # some tenths of a second; guess: calls cost nothing beside that

# Threads that share a step.
CHUNK = 256  # items that a thread takes at a time: degrees are skewed; guess
SERIAL = 1024  # items below which one thread does a step: waking others takes longer; guess
LIGHT = 32  # items of a step that only sets or lists them, for one of a search; guess
PRIVATE = 1024  # items that a thread collects before it writes to a shared list; guess
CHUNK_OF_ROOTS = 16  # roots that a thread searches from at a time, at most; guess
SERIAL_EDGES = 4096  # edges of the last phase below which one thread does the next; guess
SERIAL_STEP = 1 << 15  # edges of a level or round of push-relabel; "Two threads" in performance.md

# Per-item kernels: launches on CPU threads and on CUDA, and passes over arrays made of launches.
TURNS = 64  # chunks a thread has in a launch at most: longer ones are kinder to the prefetcher
SERIAL_ITEMS = 512  # items below which one CPU thread does a launch; guess
FEW_ON_CUDA = 16  # items that one CUDA thread does in about the time of a launch; guess
AHEAD_ON_CUDA = 8  # levels or iterations that are launched before a flag is read; guess
ALONE_ON_CUDA = 4096  # items that one CUDA thread does in a launch at most; guess
BLOCKS_TO_SUM = 2048  # blocks of a prefix sum at most: one thread adds up their sums; guess
SMALLEST_TO_SUM = 64  # entries of such a block at least; guess
COUNTERS = 64  # counters that stand for one shared count, so that threads seldom meet; guess
SHRINK_FROM = 512  # active rows from which a list is made dense: the figure of Deveci et al. 2013
LANES = (1, 32, 1024)  # lanes a row, by class of its degree: a thread, a warp, a block of CUDA's
SPLIT = (64, 8192)  # degrees from which a row is of the second and of the third class; guess
ROWS_PER_CALL = 1 << 20  # rows that one thread does alone before the driver may pause; guess

# Arrays and the transpose. Waking threads takes as long as reading some 100 000 entries.
SHARED_TRANSPOSE = 200_000  # edges from which threads share a transpose; guess
SHARED_WRITES = 1_000_000  # entries from which threads share a pass that writes; in_rounds.py
SHARED_READS = 4_000_000  # the same for a pass that only reads; in_rounds.py
STRETCH = 32  # entries that are looked at together; 64 is as good
SHARED_CHECK = 300_000  # entries to read from which threads share the check of a matching; guess
LARGE = 1 << 15  # entries from which compiled passes are faster than numpy's; in_rounds.py
MOST_KEPT = 1 << 27  # bytes that one solve leaves to the next; guess

# Greedy matchings of general graphs: lab/benchmarks/greedy.py.
SHARED_SORT = 50_000  # edges from which threads share the sort, and the check of a graph; guess
DIGIT = 11  # bits that are sorted by at a time: the counters of a thread fit in its cache; guess
ASKED, WITHIN = 1000, 0.9  # vertices asked, and the part that must have its neighbour in its range

# The cheap start on threads: the table on the start in performance.md; in_rounds.py.
SHARED_START = 8_000_000  # edges from which threads share it: "Two threads" in performance.md
SHARED_VERTICES = 1 << 14  # vertices a side, too: on few columns threads take each other's lines
FIRST_SAMPLE = 1 << 8  # rows before a cut that are tried first
SAMPLE, SAMPLE_PART = 1 << 11, 64  # rows that are tried then: so many, or 1/64 of all
MANY_BEHIND, FEW_BEHIND = 1 / 2, 1 / 32  # parts of them that take columns behind the cut
NEARLY_ALL = 0.98  # part of them that finds a column
ROWS_IN_TURN = 1 << 11  # rows that a thread takes at a time; guess
FAR_FROM_CUT = 1 << 14  # rows since the last one that met a free column before the cut; guess
MOST_LEFT = 1 << 10  # rows of a block that are left to one thread; kkt-opf-SyntheticUSA

# Karp–Sipser on threads: rows in random order, but by blocks.
RANDOM_BLOCKS = 1024  # about so many blocks, if there are enough rows; guess
LARGEST_BLOCK = 256  # rows in a block at most: read three to five times as fast as one by one

# Searches with limits: tried on 20 graphs, see "Limits" in performance.md.
SEARCH_LIMIT = 512  # edges of a search in the first round; 64 and 256 differ by 15 % at most
GROWTH = 4  # from round to round; 8 is within 15 %
FEW_ROOTS = 4  # roots that need not wait for each other: a chain takes 1 round in place of 7
FAVOUR = 4  # unlimited edges for one of a search broken off; 1 and 2 are within 15 %
HEAD_START = 1 / 50  # of all edges, for searches broken off; guess
DENSE = 48  # edges a row from which searches look ahead: "Looking ahead" in performance.md
SEARCH_NEAR, SEARCH_AHEAD = 2, 4  # places ahead in a queue that memory is asked for; a fifth faster
MOST_THREADS = 8  # that search at a time, as each needs memory of its own; guess, tried up to 2
FEWEST_ROOTS = 16  # roots for a thread; guess
ROOTS_AT_A_TIME = 8  # roots that a thread takes; fewer where few are left: delaunay_n16
PATIENCE = 1000  # tries to get the lock; guess
SOLO_PARTS = (1 / 8, 1 / 4, 1 / 2, 7 / 8)  # "When to wake the others" in performance.md

# The default: which algorithm goes on, and when. performance.md; auto_rule.py, in_rounds.py.
EFFORT = 3.0  # times the edges that searches may read: 3 to 5 are equal
SHARED_SEARCHES = 300_000  # edges from which threads share the searches: before_after.py
SHARED_PUSHES = 1_000_000  # edges from which threads share push-relabel: ego-Twitter
SHARED_ROWS = 1 << 11  # and unmatched rows: fewer mean many rounds, each too short to wake threads
WAKING = 150_000  # edges that are read in the time that it takes to wake threads
SLOW = 0.3  # part of the rows dealt with after one time the edges: cit-HepPh, cit-HepTh
PART_OF_PASS, WELL = 1 / 4, 0.95  # a first round that goes well goes on: bayer10
WORTH_LOOKING = 1 << 16  # edges; guess
# Parts of a pass after which it is judged, and paths for a row dealt with: none in the end.
LOOKS = ((1 / 8, 0.0), (1 / 4, 0.7), (1 / 2, 0.55), (1.0, 2.0))
ASKEW_LEFT, ASKEW_FOUND, ASKEW_FREE = 0.85, 0.3, 0.4  # rows left, paths, unmatched columns
HARD_LEFT, MOST_SUPPLY, THICK, SHORT_PATH = 0.08, 2.0, 3.3, 6  # rows, columns, degree, path
FAR_APART = 1 / 256  # rows left by the start, if half of these are still left: brick
FAR_LEFT, FAR_FOUND = 0.85, 0.98  # rows left though searches succeed: bayer10
LONG_PATH = 32  # edges of a path by which a mesh is known: dragon-dual, mdual
REST = 1 / 64  # part of the rows that is left there
LEAST_FOUND = 1 / 10  # part of its roots from which a phase of Pothen–Fan finds paths
LEAST_ON_MESH = 1 / 100  # the same where it began: on dragon-dual push-relabel takes longer
READ_IN_NO_TIME = 1 << 14  # edges; guess

# Depth-first searches on trial: "On trial" in performance.md.
TRIED_ROOTS = 1 / 32  # rows left, as a part of all: with few it does not matter
TRIED_PART, TRIED_LEAST = 1 / 256, 1 << 14  # edges that are read: a part of all, at least so many
ALL_FOUND, DEEPER = 0.99, 1.2  # searches that find a path; edges a path, of the other kind
PROBES, PROBE_EDGES = 32, 512  # rows from which to tell meshes, and edges from each; guess
MESH_NEWS = 0.85  # part that leads to columns not seen: 0.26 to 0.66 on meshes, 1 in random graphs
MESH_DEGREE = 8  # edges a row on average: kkt-opf-SyntheticUSA permuted and wave permuted have more
SHARED_PHASES = 500_000  # edges from which threads share phases there; guess

# Any graph: lab/benchmarks/general.py. Places ahead in the queue that memory is asked for.
FOREST_FAR, FOREST_AHEAD, FOREST_NEAR = 12, 8, 4  # halves the time of road-moscow and dragon-dual
FOREST_ROW = 16  # neighbours of the vertex that is near; guess
START_AHEAD = 8  # guess
LEFT_IN_ORDER = 1 / 32  # of what is not settled; four graphs leave up to 2 %, all others over 3 %

# While numba sleeps: what one thread does in the time that it takes to wake, in edges; guess.
ASLEEP = 1 << 22

# Small graphs in one compiled call: "Small graphs at once" in performance.md.
SMALL_GRAPH = 1 << 20  # edges, and columns: some milliseconds, in which Ctrl-C may wait
ROWS_SHARED_PHASES = 1 << 17  # rows from which phases on threads may save more than calls cost
LITTLE_MEMORY = 1 << 18  # indices for which new memory is at hand

# Out of core.
ROWS = 1 << 18  # rows of a batch at most; guess
GAP = 1 << 11  # bytes between two rows up to which they are read at once: "Small reads" below
PER_COL, PER_FREE_COL = 8, 255  # edges of a newly marked column that a pass adds at most; guess

# In parts: lab/benchmarks/in_parts.py.
PLAIN_PASSES = 3  # times the edges that searches may read before a transpose is built; guess
GATHERED = 1 << 27  # edges that one part gathers at most, if it has the memory; guess
GATHER_AFTER, GATHER_PHASES = 40, 4  # exchanges, phases to come: rmat has 3 and is better without
GATHER_ANYWAY, GATHER_AT_ONCE = 100, 1 << 20  # exchanges: power law; edges: guess
ASK = 0.25  # seconds
SAMPLED, SAMPLED_FROM = 61, 1 << 16  # one column in so many, of graphs with so many; guess

# Coarsening.
SLOWEST = 0.95  # a step that leaves more of the vertices is not worth its while; guess
TOO_MANY = 0.1  # part of the vertices left over from which they are paired: LaSalle et al. 2015

# Push-relabel.
SWEEP_PART = 8  # a sweep reads all labels: one in n_cols / 8 pushes adds an edge or two to each
PUSH_NEAR, PUSH_AHEAD = 4, 8  # places ahead in a queue that memory is asked for; a third faster

# Assignment by weight: lab/benchmarks/assignment.py.
BIDS_PER_ROW = 4  # without a step, before rows search
FEW_LEFT = 8  # the same for each row that is left, so many times: few that are left bid in circles
PATHS_EFFORT = 10.0  # times the edges that paths may read before cost scaling goes on
LEAST_READ = 1 << 21  # edges that they may read in any case: some 0.02 s
RISE = 3.2  # edges read by half of the roots for one by a quarter: 3.3 to 4 on random graphs,
# up to 2.8 on others but one (3.4), which cost scaling solves as fast
MANY_READ = 1 << 18  # edges below which that does not matter: random 30k × 6 in half the time of
# 1 << 19, delaunay_n16 in a fifth more; below it is the same
FIRST_STEP, STEP, LAST_STEP = 0.02, 0.1, 1e-8  # of cost scaling, by the spread of costs
WAITING = 0.0  # part of the rows that may be left to the next phase
MOST_BIDS = 64  # of a row in a phase, on average: some problems are not for bids
REPAIRS = 10  # rows whose price may rise at the end, per row; guess

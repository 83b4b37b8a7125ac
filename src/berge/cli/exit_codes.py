"""What the exit code of ``berge`` says. Scripts rely on it, so the numbers stay."""

from __future__ import annotations

OK = 0
ERROR = 1
USAGE = 2  # click's own
TIME_LIMIT = 3
INTERRUPTED = 4
NOT_A_MATCHING = 5
NOT_MAXIMUM = 6
INTERRUPTED_BEFORE = 130  # as shells have it: 128 + SIGINT

MEANINGS = {
    OK: "done; match: the matching is maximum (and proved, unless --no-prove)",
    ERROR: "error: a bad file, bad input, or no space to write to",
    USAGE: "usage: an unknown option, or a value that is not allowed",
    TIME_LIMIT: "match, greedy, weighted, coarsen: time limit; what there was so far is valid",
    INTERRUPTED: "match, greedy, weighted, coarsen, bench, reproduce: Ctrl-C; the rest is written",
    NOT_A_MATCHING: "verify: not a valid matching or assignment of the graph",
    NOT_MAXIMUM: "verify: a valid matching, but not proved maximum, maximal or best",
    INTERRUPTED_BEFORE: "interrupted by Ctrl-C before there was a matching",
}

"""Starts: maximal matchings, found in about one pass, that exact algorithms begin with.

A start takes a `Run`. It extends the matching there, whose pairs stay, until it is maximal. It adds
to ``run.cardinality`` what it has matched, and calls ``run.pause()`` after every portion of about
`EDGES_PER_CALL` edges, which the module imports by that name from `berge.tuning`, so that tests
can make it small. Arrays to work on may come from ``run.empty``, which keeps memory from call to
call. The tests hold every start to this.
"""

"""Exact algorithms that search for augmenting paths. One algorithm a file.

Each takes a `Run` and makes the matching there maximum. It changes ``row_match`` and ``col_match``
in place, ends every phase by ``run.end_phase(gained)``, and calls ``run.pause()`` between kernels,
when the matching is valid.
"""

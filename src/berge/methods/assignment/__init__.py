"""Assignment by weight: algorithms for the one problem that `problem` states.

Each is a function that takes an `AssignmentRun`, makes its `chosen` edges the cheapest ones, and
leaves the prices that prove it.
"""

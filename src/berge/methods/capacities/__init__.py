"""As many edges as capacities allow: algorithms for matchings where vertices have several units.

Each is a function that takes a `CapacityRun` and chooses as many edges as can be.
"""

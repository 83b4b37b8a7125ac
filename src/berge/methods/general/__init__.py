"""Matchings of graphs that need not be bipartite, by number.

Every function takes a `GeneralRun`, and changes its matching in place. Kernels for general graphs
share one array: ``node[8 · v]`` to ``node[8 · v + 7]`` are all that a search knows of vertex v.
"""

"""Graphs as berge holds them, the kernels they need, and the memory they take."""

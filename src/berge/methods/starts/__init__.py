"""Starts: maximal matchings, found in about one pass, that exact algorithms begin with.

Each extends the matching that it is given, and returns how many edges it added.
"""

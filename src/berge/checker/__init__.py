"""A checker that shares no code with the rest of berge: plain Python and numpy, slow and simple.

`check` and `general` decide whether a matching is right; all of berge asks them.
"""

"""The networkx backend: ``backend="berge"`` on networkx's own functions.

`info` tells networkx what there is and imports nothing; `interface` is what networkx calls; `graph`
converts; `functions` have networkx's signatures, and reach the core and `kernels` only when called.
"""

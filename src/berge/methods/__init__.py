"""The algorithms: one a file, in its paper's words; `registry` lists them."""

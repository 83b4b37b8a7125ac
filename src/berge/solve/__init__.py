"""From input to result: what the default is, and the pipelines."""

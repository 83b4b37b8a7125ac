"""The commands of the laboratory, which `berge` shows where this is installed."""

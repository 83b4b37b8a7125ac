"""``python -m berge`` is the same as ``berge``."""

from .cli import main

if __name__ == "__main__":
    main()

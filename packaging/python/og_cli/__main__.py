"""Runs the executable: ``python -m og_cli``, and the command ``og-cli``."""

import os
import subprocess
import sys

from og_cli import find_og


def main():
    og = find_og()
    # Windows cannot replace a process, so the parent waits there.
    if sys.platform == "win32":
        sys.exit(subprocess.run([og, *sys.argv[1:]]).returncode)
    os.execv(og, [og, *sys.argv[1:]])


if __name__ == "__main__":
    main()

"""Finds the executable ``og``."""

import os
import shutil

from og_memory.errors import MemoryToolError


def find_og():
    """
    Returns the path of ``og``: the variable OG_EXECUTABLE, else the executable of the package
    og-cli, else the first on the PATH.
    """
    named = os.environ.get("OG_EXECUTABLE")
    if named:
        return named
    try:
        import og_cli

        return og_cli.find_og()
    except (ImportError, FileNotFoundError):
        pass  # og may be installed in another way.
    found = shutil.which("og")
    if found is None:
        raise MemoryToolError(
            'Cannot find the executable og. Install it with "pip install og-cli", put it on the '
            "PATH, or name it in OG_EXECUTABLE."
        )
    return found

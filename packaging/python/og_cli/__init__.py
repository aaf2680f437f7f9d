"""The executable ``og``, which this package contains for one platform."""

import os
import sys
import sysconfig


def find_og():
    """Returns the path of the executable of this package."""
    name = "og.exe" if sys.platform == "win32" else "og"
    own = os.path.dirname(os.path.abspath(__file__))
    folders = [
        sysconfig.get_path("scripts"),
        # For packages of a user, and for "pip install --target".
        sysconfig.get_path("scripts", "nt_user" if sys.platform == "win32" else "posix_user"),
        os.path.join(os.path.dirname(own), "bin"),
    ]
    for folder in folders:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return path
    raise FileNotFoundError(f"Cannot find {name} in {', '.join(folders)}: reinstall og-cli")

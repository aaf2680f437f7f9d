"""
Agent memory in Markdown files, kept by the executable ``og``.

>>> from og_memory import MemorySession
>>> with MemorySession.create("my_project") as session:
...     session.execute_tool("memory_write", file="MEMORY.md", content="Alice loves Python.")
...     session.execute_tool("memory_read", query="Alice")

The modules have the names of GroundMemory's, so its programs run with ``groundmemory`` replaced by
``og_memory`` in their imports.
"""

from og_memory.config import groundmemoryConfig
from og_memory.session import MemorySession
from og_memory.errors import MemoryToolError

__all__ = ["ALL_TOOLS", "MemorySession", "MemoryToolError", "groundmemoryConfig"]


def __getattr__(name):
    # The schemas come from og, so importing the package starts no process.
    if name == "ALL_TOOLS":
        from og_memory import tools

        return tools.ALL_TOOLS
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

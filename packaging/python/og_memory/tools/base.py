"""The error and the answers of tools."""

from og_memory.errors import MemoryToolError

__all__ = ["MemoryToolError", "err", "ok"]


def ok(data):
    """An answer without an error."""
    return {"status": "ok", **data} if isinstance(data, dict) else {"status": "ok", "result": data}


def err(message):
    """An answer that reports an error."""
    return {"status": "error", "message": message}

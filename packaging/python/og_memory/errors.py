"""The error of this package."""


class MemoryToolError(Exception):
    """og cannot be started, or an operation failed. The message is for people."""

"""The tools of a memory without a session: ``ALL_TOOLS``, ``TOOL_RUNNERS``, ``TOOL_SCHEMAS``."""

import functools
import json
import subprocess

from og_memory._executable import find_og
from og_memory.errors import MemoryToolError

__all__ = ["ALL_TOOLS", "TOOL_RUNNERS", "TOOL_SCHEMAS", "build_tool_registry"]


def build_tool_registry(config):
    """
    Returns the tools that the settings select: pairs of schema and runner, runners by name, and
    schemas by name. A runner takes a session and the arguments of its tool.
    """
    if config.dispatcher_mode:
        selected = [schema for schema in _schemas() if schema["name"] == "memory_tool"]
    else:
        selected = [
            _with_tiers(schema, config)
            for schema in _schemas()
            if schema["name"] != "memory_tool"
            and (schema["name"] != "memory_list" or config.expose_memory_list)
        ]
    tools = [(schema, _runner(schema["name"])) for schema in selected]
    runners = {schema["name"]: run for schema, run in tools}
    return tools, runners, {schema["name"]: schema for schema, _ in tools}


def _with_tiers(schema, config):
    if schema["name"] != "memory_compact":
        return schema
    copy = json.loads(json.dumps(schema))
    copy["parameters"]["properties"]["tier"]["enum"] = [
        *config.bootstrap.compaction_tiers,
        *(it.name for it in config.custom_files if it.compactable),
    ]
    return copy


def _runner(name):
    def run(session, **arguments):
        return session.execute_tool(name, **arguments)

    run.__name__ = name
    return run


@functools.lru_cache(maxsize=None)
def _schemas():
    command = [find_og(), "memory", "schemas", "openai"]
    try:
        ran = subprocess.run(command, capture_output=True, check=True, encoding="utf-8")
    except (OSError, subprocess.CalledProcessError) as error:
        why = getattr(error, "stderr", None) or error
        raise MemoryToolError(f"Cannot read the tools of {command[0]}: {why}".strip()) from error
    return [tool["function"] for tool in json.loads(ran.stdout)]


@functools.lru_cache(maxsize=None)
def _default_registry():
    from og_memory.config import groundmemoryConfig

    return build_tool_registry(groundmemoryConfig())


def __getattr__(name):
    names = ("ALL_TOOLS", "TOOL_RUNNERS", "TOOL_SCHEMAS")
    if name in names:
        return _default_registry()[names.index(name)]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

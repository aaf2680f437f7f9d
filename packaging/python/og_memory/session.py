"""The session of a program with one workspace of a memory."""

import os

from og_memory._executable import find_og
from og_memory._http import HttpLink
from og_memory._stdio import StdioLink
from og_memory.config import groundmemoryConfig
from og_memory.core.workspace import Workspace
from og_memory.errors import MemoryToolError
from og_memory.tools.base import err


class MemorySession:
    """
    >>> session = MemorySession.create("project")
    >>> session.execute_tool("memory_read", query="Alice")
    >>> prompt = session.bootstrap()
    """

    def __init__(self, link, config, workspace):
        self._link = link
        #: A server answers searches with all fields only on request.
        self._has_all_fields = True
        self.config = config
        #: The paths of the files; None if the memory is on a server.
        self.workspace = workspace
        self.tools = [_schema(tool) for tool in link.request("tools/list", {})["tools"]]

    @classmethod
    def create(cls, workspace_name=None, config=None, *, executable=None):
        """
        Opens a workspace, which is created if it is missing, through a process of ``og``.

        ``workspace_name`` defaults to the setting ``workspace``. ``executable`` is the path of og.
        """
        config = groundmemoryConfig() if config is None else config
        command = [executable or find_og(), "memory", "mcp", "--for-programs"]
        if workspace_name is not None:
            command += ["--workspace", workspace_name]
        link = StdioLink(command, {**os.environ, **config.variables()})
        path = config.root_dir / (workspace_name or config.workspace)
        try:
            _introduce(link)
            # Opens the workspace, so that an invalid name fails here.
            answer = _call(link, "memory_list", {})
            if answer["status"] == "error":
                raise MemoryToolError(answer["message"])
            workspace = Workspace(path, config.custom_files)
            # Upstream's workspaces have the folder from the beginning.
            workspace.daily_dir.mkdir(exist_ok=True)
            return cls(link, config, workspace)
        except BaseException:
            link.close()
            raise

    @classmethod
    def connect(cls, url, api_key=None, *, timeout=60):
        """Opens the memory of a server, such as ``http://127.0.0.1:4242/mcp``."""
        link = HttpLink(url, api_key, timeout)
        _introduce(link)
        session = cls(link, groundmemoryConfig(), None)
        session._has_all_fields = False
        return session

    def execute_tool(self, tool_name, **kwargs):
        """
        Calls a tool and returns its answer: a dict with ``status`` "ok" or "error". It raises
        nothing. Arguments that are None count as absent.
        """
        try:
            arguments = {name: value for name, value in kwargs.items() if value is not None}
            if tool_name == "memory_read" and not self._has_all_fields:
                arguments = {"structured": "full", **arguments}
            answer = _call(self._link, tool_name, arguments)
        except (MemoryToolError, TypeError, ValueError) as error:
            return err(f"Tool '{tool_name}' failed: {error}")
        if answer is not None:
            return answer
        names = [schema["name"] for schema in self.tools]
        return err(f"Unknown tool '{tool_name}'. Available: {names}")

    def bootstrap(self, task=None):
        """Returns the text for the start of a session, or "" if the memory is empty."""
        return self._result("memory_bootstrap", task=task).get("content", "")

    def sync(self, force=False):
        """Indexes files that were edited by hand. Every other call does this too."""
        return self._result("memory_sync", **({"force": True} if force else {}))

    def relations(self, **query):
        """Returns the relations that hold now, or held ``as_of`` a day."""
        return self._result("memory_relations", **query)["relations"]

    def history(self, **query):
        """Returns the writes, newest first."""
        return self._result("memory_history", **query)["entries"]

    def undo(self, write_id=None):
        """Undoes a write, by default the last one."""
        return self._result("memory_undo", id=write_id)

    def backup(self):
        """Makes a backup and returns its name."""
        return self._result("memory_backup")

    def _result(self, tool_name, **kwargs):
        answer = self.execute_tool(tool_name, **kwargs)
        if answer["status"] == "error":
            raise MemoryToolError(answer["message"])
        return {name: value for name, value in answer.items() if name != "status"}

    def close(self):
        self._link.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        where = self.workspace.path if self.workspace else self._link._url
        return f"MemorySession({str(where)!r})"


def _introduce(link):
    about = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "og-memory", "version": "1"},
    }
    server = link.request("initialize", about).get("serverInfo", {})
    if server.get("title") != "og":
        raise MemoryToolError(f"Cannot use {server.get('name', 'this server')}: it is not og")
    link.notify("notifications/initialized")


def _schema(tool):
    return {
        "name": tool["name"],
        "description": tool["description"],
        "parameters": tool["inputSchema"],
    }


def _call(link, name, arguments):
    """Returns the answer of a tool, or None if there is no such tool."""
    result = link.request("tools/call", {"name": name, "arguments": arguments})
    error = result.get("error")
    if error is not None:
        # Invalid arguments have a result, so this code can only mean an unknown tool.
        return None if error["code"] == -32602 else err(error["message"])
    if not result.get("isError"):
        return result["structuredContent"]
    text = result["content"][0]["text"]
    return err(text.replace(f"Error executing tool {name}: ", "", 1).split("\nhint: ", 1)[0])

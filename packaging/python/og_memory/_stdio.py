"""A process of ``og memory mcp`` that answers the calls of one session."""

import collections
import itertools
import json
import os
import subprocess
import sys
import threading

from og_memory.errors import MemoryToolError


class StdioLink:
    def __init__(self, command, env):
        self._command = command
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._ids = itertools.count(1)
        self._last_lines = collections.deque(maxlen=20)
        try:
            self._child = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=env,
            )
        except OSError as error:
            raise MemoryToolError(f"Cannot run {command[0]}: {error.strerror or error}") from error
        # The pipe would fill up and block og if nobody read it.
        self._reader = threading.Thread(target=self._pass_errors_on, daemon=True)
        self._reader.start()

    def _pass_errors_on(self):
        for line in self._child.stderr:
            text = line.decode("utf-8", "replace")
            self._last_lines.append(text.strip())
            try:
                sys.stderr.write(text)
            except (OSError, ValueError):
                pass  # The program has closed its stderr; og must still be able to write.

    def request(self, method, params):
        """Returns the result of a JSON-RPC request, or its error as ``{"error": ...}``."""
        if os.getpid() != self._owner:
            raise MemoryToolError(
                "Cannot use a memory session of another process: create one after the fork"
            )
        # One call at a time; og answers a session's calls in their order.
        with self._lock:
            number = next(self._ids)
            self._send({"id": number, "method": method, "params": params})
            while True:
                message = self._receive()
                if message.get("id") == number and "method" not in message:
                    return message.get("result", {"error": message.get("error")})

    def notify(self, method):
        with self._lock:
            self._send({"method": method})

    def _send(self, message):
        text = json.dumps({"jsonrpc": "2.0", **message}) + "\n"
        try:
            self._child.stdin.write(text.encode("utf-8"))
            self._child.stdin.flush()
        except (OSError, ValueError) as error:
            raise self._ended() from error

    def _receive(self):
        line = self._child.stdout.readline()
        if not line.endswith(b"\n"):
            raise self._ended()
        try:
            return json.loads(line)
        except ValueError as error:
            raise MemoryToolError(
                f"{self._command[0]} is not og: it answered {line[:80]!r}"
            ) from error

    def _ended(self):
        if self._child.stdin.closed:
            return MemoryToolError("The memory session is closed")
        code = self._child.wait()
        self._reader.join(1)
        why = next((line for line in self._last_lines if line.startswith("error: ")), None)
        if why is not None:
            return MemoryToolError(why[len("error: "):])
        last = f": {self._last_lines[-1]}" if self._last_lines else ""
        return MemoryToolError(f"{' '.join(self._command[:3])} ended with exit code {code}{last}")

    def close(self):
        if os.getpid() != self._owner or self._child.stdin.closed:
            return
        with self._lock:
            try:
                self._child.stdin.close()
            except OSError:
                pass  # og has ended already.
        self._child.wait()
        self._reader.join()
        self._child.stdout.close()
        self._child.stderr.close()

"""A server (``og memory serve``) that answers the calls of one session."""

import http.client
import itertools
import json
import urllib.parse

from og_memory.errors import MemoryToolError


class HttpLink:
    def __init__(self, url, api_key=None, timeout=60):
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise MemoryToolError(f"Cannot use {url!r} as a memory server: it is no http(s) URL")
        self._url = url
        self._parts = parts
        self._timeout = timeout
        self._ids = itertools.count(1)
        self._headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            **({} if api_key is None else {"Authorization": f"Bearer {api_key}"}),
        }

    def request(self, method, params):
        number = next(self._ids)
        message = self._post({"id": number, "method": method, "params": params})
        return message.get("result", {"error": message.get("error")})

    def notify(self, method):
        self._post({"method": method})

    def _post(self, message):
        text = json.dumps({"jsonrpc": "2.0", **message})
        parts = self._parts
        kinds = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}
        # A connection of its own per call, so that threads can share the session.
        connection = kinds[parts.scheme](parts.hostname, parts.port, timeout=self._timeout)
        try:
            path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            connection.request("POST", path, text.encode("utf-8"), self._headers)
            answer = connection.getresponse()
            status, kind, body = answer.status, answer.getheader("Content-Type", ""), answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise MemoryToolError(f"Cannot reach the memory server {self._url}: {error}") from error
        finally:
            connection.close()
        if status >= 400:
            said = body[:200].decode("utf-8", "replace").strip()
            raise MemoryToolError(f"The memory server {self._url} answered {status}: {said}")
        return self._message(kind, body) if "id" in message else {}

    def _message(self, kind, body):
        text = body.decode("utf-8")
        if kind.startswith("text/event-stream"):
            events = [line[5:] for line in text.splitlines() if line.startswith("data:")]
            text = events[-1] if events else ""
        try:
            return json.loads(text)
        except ValueError as error:
            raise MemoryToolError(
                f"{self._url} is no memory server: it answered {text[:80]!r}"
            ) from error

    def close(self):
        pass

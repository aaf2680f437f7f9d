"""Runs the peer's part of the memory bench: `bench-memory-peer.py MODE ROOT …`, JSON on stdout."""
import json, os, sys, time

mode, root, rest = sys.argv[1], sys.argv[2], sys.argv[3:]
os.environ["GROUNDMEMORY_ROOT_DIR"] = root
os.environ["GROUNDMEMORY_EMBEDDING__PROVIDER"] = "none"
from groundmemory.session import MemorySession

session = MemorySession.create("default")


def p50(run, items):
    times = []
    for item in items:
        started = time.perf_counter()
        run(item)
        times.append((time.perf_counter() - started) * 1000)
    return sorted(times)[len(times) // 2]


def append(text):
    result = session.execute_tool("memory_write", file="MEMORY.md", content=text)
    assert result["status"] == "ok", result


if mode == "append":
    prefix, count = rest[0], int(rest[1])
    for i in range(count):
        append(f"entry {prefix}{i} of this process")
elif mode == "first":
    session.bootstrap()
    session.execute_tool("memory_read", query=rest[0])
elif mode == "work":
    questions = json.load(open(rest[0]))
    session.sync()
    search = lambda query: session.execute_tool("memory_read", query=query)
    print(json.dumps({
        "appendMs": p50(append, [f"one more entry {i}" for i in range(15)]),
        "searchMs": p50(search, questions),
        "bootstrapMs": p50(lambda _: session.bootstrap(), range(15)),
    }))

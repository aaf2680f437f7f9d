"""Tests of og_memory through the executable that OG_EXECUTABLE names: ``python -m unittest``."""

import concurrent.futures
import json
import os
import pathlib
import signal
import stat
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

import og_memory  # noqa: E402
from og_memory import MemorySession, MemoryToolError, groundmemoryConfig  # noqa: E402
from og_memory._executable import find_og  # noqa: E402
from og_memory.adapters import anthropic, openai  # noqa: E402
from og_memory.config import (  # noqa: E402
    BootstrapConfig,
    CustomFileConfig,
    EmbeddingConfig,
    SearchConfig,
)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def config(self, **values):
        return groundmemoryConfig(
            root_dir=self.root, embedding=EmbeddingConfig(provider="none"), **values
        )

    def session(self, name="w", **values):
        session = MemorySession.create(name, config=self.config(**values))
        self.addCleanup(session.close)
        return session


class RootTest(Case):
    def check(self, folders, expected):
        """Compares the default root with the one that og uses in a home with these folders."""
        with tempfile.TemporaryDirectory() as home:
            for folder in folders:
                (pathlib.Path(home) / folder).mkdir(parents=True)
            names = ("XDG_DATA_HOME", "GROUNDMEMORY_ROOT_DIR")
            env = {name: value for name, value in os.environ.items() if name not in names}
            with mock.patch.dict(os.environ, {**env, "HOME": home}, clear=True):
                config = groundmemoryConfig(embedding=EmbeddingConfig(provider="none"))
                self.assertEqual(config.root_dir, pathlib.Path(home) / expected)
                with MemorySession.create("w", config) as session:
                    session.execute_tool("memory_write", file="MEMORY.md", content="Tea.")
                    self.assertIn("Tea.", session.workspace.memory_file.read_text("utf-8"))

    def test_uses_the_root_of_og(self):
        data = ".local/share"
        self.check([], f"{data}/og/memory")
        self.check([f"{data}/openground"], f"{data}/openground/memory")
        self.check([f"{data}/og/memory", ".groundmemory"], ".groundmemory")
        self.check([f"{data}/og/memory/v", ".groundmemory"], f"{data}/og/memory")
        self.check([f"{data}/og/index/a", f"{data}/openground"], f"{data}/og/memory")


class SessionTest(Case):
    def test_writes_searches_and_reads_the_same_files(self):
        session = self.session()
        answer = session.execute_tool("memory_write", file="MEMORY.md", content="Ann likes tea.")
        self.assertEqual(answer["status"], "ok")
        found = session.execute_tool("memory_read", query="tea")
        self.assertEqual([hit["path"] for hit in found["results"]], ["MEMORY.md"])
        self.assertIn("Ann likes tea.", session.workspace.memory_file.read_text("utf-8"))
        self.assertIn("Ann likes tea.", session.bootstrap())
        self.assertEqual(session.history()[0]["id"], answer["write_id"])
        session.undo(answer["write_id"])
        self.assertNotIn("Ann likes tea.", session.workspace.memory_file.read_text("utf-8"))

    def test_creates_a_missing_workspace_with_its_files(self):
        session = self.session("new")
        self.assertIn("# First Run", session.workspace.first_run_file.read_text("utf-8"))

    def test_returns_relations_and_makes_backups(self):
        session = self.session()
        session.execute_tool("memory_relate", subject="Ann", predicate="knows", object="Ben")
        self.assertEqual([it["object"] for it in session.relations(entity="Ann")], ["Ben"])
        archive = session.workspace.path / "backups" / f"{session.backup()['name']}.zip"
        self.assertTrue(archive.is_file())

    def test_returns_failures_of_tools_and_raises_those_of_methods(self):
        session = self.session()
        unknown = session.execute_tool("nix")
        self.assertIn("Unknown tool 'nix'. Available: ['memory_bootstrap'", unknown["message"])
        missing = session.execute_tool("memory_read", file="x.md")
        self.assertEqual(missing, {"status": "error", "message": "File not found: x.md"})
        unserializable = session.execute_tool("memory_read", file=object())
        self.assertIn("Tool 'memory_read' failed", unserializable["message"])
        with self.assertRaisesRegex(MemoryToolError, "nix"):
            session.undo("nix")

    def test_ignores_arguments_that_are_none(self):
        answer = self.session().execute_tool("memory_read", file="USER.md", query=None)
        self.assertEqual(answer["mode"], "get")

    def test_answers_threads_that_share_a_session(self):
        session = self.session()

        def write(number):
            return session.execute_tool("memory_write", file="daily", content=f"Fact {number}.")

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(write, range(40)))
        self.assertEqual({it["status"] for it in answers}, {"ok"})
        text = session.workspace.daily_file().read_text("utf-8")
        self.assertEqual(text.count("Fact "), 40)

    def test_passes_explicit_settings_to_og(self):
        bootstrap = BootstrapConfig(inject_agents=False, daily_log_days=0)
        custom = CustomFileConfig(name="NOTES.md", description="notes")
        session = self.session(bootstrap=bootstrap, custom_files=[custom], expose_memory_list=True)
        self.assertNotIn("Agent", session.bootstrap().split("First Run")[0])
        files = [it["file"] for it in session.execute_tool("memory_list")["files"]]
        self.assertIn("NOTES.md", files)

    def test_reports_a_session_that_is_closed(self):
        session = self.session()
        session.close()
        session.close()
        answer = session.execute_tool("memory_list")
        self.assertIn("The memory session is closed", answer["message"])

    @unittest.skipUnless(hasattr(os, "fork"), "needs fork")
    def test_refuses_a_session_in_a_forked_process(self):
        session = self.session()
        child = os.fork()
        if child == 0:
            answer = session.execute_tool("memory_list")
            os._exit(0 if "create one after the fork" in answer.get("message", "") else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(session.execute_tool("memory_read", file="USER.md")["status"], "ok")

    def test_reports_the_end_of_og_instead_of_waiting(self):
        session = self.session()
        os.kill(session._link._child.pid, signal.SIGTERM)
        session._link._child.wait()
        answer = session.execute_tool("memory_list")
        self.assertRegex(answer["message"], "memory mcp ended with exit code")

    def test_raises_the_error_line_of_og(self):
        with self.assertRaisesRegex(MemoryToolError, '^Cannot use workspace name "../x"'):
            MemorySession.create("../x", config=self.config())

    def test_rejects_a_program_that_is_not_og(self):
        other = self.root / "other"
        other.write_text("#!/bin/sh\nread line; echo hello; sleep 5\n")
        other.chmod(other.stat().st_mode | stat.S_IXUSR)
        with self.assertRaisesRegex(MemoryToolError, "is not og: it answered b'hello"):
            MemorySession.create("w", config=self.config(), executable=str(other))
        with self.assertRaisesRegex(MemoryToolError, "Cannot run /nix/og"):
            MemorySession.create("w", config=self.config(), executable="/nix/og")


class ServerTest(Case):
    def test_connects_to_a_server_with_its_key(self):
        env = {**os.environ, **self.config().variables(), "GROUNDMEMORY_MCP__API_KEY": "secret-key"}
        command = [find_og(), "memory", "serve", "--port", "0"]
        with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as server:
            try:
                url = server.stdout.readline().strip()
                with MemorySession.connect(url, "secret-key") as session:
                    session.execute_tool("memory_write", file="USER.md", content="Likes tea.")
                    answer = session.execute_tool("memory_read", file="USER.md")
                self.assertIn("Likes tea.", answer["content"])
                with self.assertRaisesRegex(MemoryToolError, "answered 401"):
                    MemorySession.connect(url, "other")
            finally:
                server.terminate()
        with self.assertRaisesRegex(MemoryToolError, "Cannot reach the memory server"):
            MemorySession.connect(url, "secret-key")
        with self.assertRaisesRegex(MemoryToolError, "no http"):
            MemorySession.connect("nix")


class ConfigTest(unittest.TestCase):
    def test_reads_variables_in_any_case_and_prefers_explicit_values(self):
        values = {
            "groundmemory_search__top_k": "9",
            "GROUNDMEMORY_SEARCH__MMR_LAMBDA": "0.5",
            "GROUNDMEMORY_DISPATCHER_MODE": "yes",
            "GROUNDMEMORY_BOOTSTRAP__COMPACTION_TIERS": "MEMORY.md, USER.md",
            "GROUNDMEMORY_CUSTOM_FILES": '[{"name": "N.md"}]',
        }
        with mock.patch.dict(os.environ, values):
            config = groundmemoryConfig()
            explicit = groundmemoryConfig(search=SearchConfig(top_k=3))
        self.assertEqual((config.search.top_k, config.search.mmr_lambda), (9, 0.5))
        self.assertIs(config.dispatcher_mode, True)
        self.assertEqual(config.bootstrap.compaction_tiers, ["MEMORY.md", "USER.md"])
        self.assertEqual(config.custom_files[0].name, "N.md")
        self.assertEqual(config.variables(), {})
        self.assertEqual(explicit.variables(), {"GROUNDMEMORY_SEARCH__TOP_K": "3"})

    def test_rejects_values_that_og_does_not_allow(self):
        for section, value in [
            (lambda: SearchConfig(top_k=1000), "search.top_k: it must be a whole number"),
            (lambda: EmbeddingConfig(provider="x"), "must be one of local, openai, none"),
            (lambda: BootstrapConfig(inject_agents="maybe"), "must be true or false"),
        ]:
            with self.assertRaisesRegex(ValueError, value):
                section()
        with mock.patch.dict(os.environ, {"GROUNDMEMORY_SEARCH__TOP_K": "many"}):
            with self.assertRaisesRegex(ValueError, "Cannot use 'many' for search.top_k"):
                SearchConfig()

    def test_hides_keys_in_its_representation(self):
        self.assertNotIn("s3cret", repr(EmbeddingConfig(api_key="s3cret")))


class ToolsTest(unittest.TestCase):
    def test_lists_the_tools_of_the_default_settings(self):
        names = [schema["name"] for schema, _ in og_memory.ALL_TOOLS]
        core = ["memory_bootstrap", "memory_read", "memory_write", "memory_relate"]
        self.assertEqual(names, [*core, "memory_compact"])

    def test_runners_call_the_session(self):
        session = mock.Mock()
        _, run = og_memory.ALL_TOOLS[1]
        run(session, query="x")
        session.execute_tool.assert_called_once_with("memory_read", query="x")


def message(**fields):
    return types.SimpleNamespace(model_dump=lambda **_: dict(fields, dumped=True), **fields)


class AdapterTest(Case):
    def test_openai_loop_answers_tool_calls_until_the_model_stops(self):
        session = self.session()
        write = types.SimpleNamespace(
            name="memory_write", arguments='{"file": "USER.md", "content": "Likes tea."}'
        )
        broken = types.SimpleNamespace(name="memory_read", arguments="{")
        calls = [
            types.SimpleNamespace(id=f"c{at}", function=it)
            for at, it in enumerate([write, broken])
        ]
        turns = [
            message(role="assistant", tool_calls=calls),
            message(role="assistant", tool_calls=None, content="Done."),
        ]
        reasons = ["tool_calls", "stop"]
        client = mock.Mock()
        client.chat.completions.create.side_effect = [
            types.SimpleNamespace(
                choices=[types.SimpleNamespace(message=turn, finish_reason=reason)]
            )
            for turn, reason in zip(turns, reasons)
        ]
        messages = openai.run_agent_loop(session, client, [{"role": "user", "content": "Hi"}])
        roles = [it["role"] for it in messages]
        self.assertEqual(roles, ["user", "assistant", "tool", "tool", "assistant"])
        self.assertEqual(json.loads(messages[2]["content"])["status"], "ok")
        self.assertIn("not JSON", json.loads(messages[3]["content"])["message"])
        self.assertIn("Likes tea.", session.workspace.user_file.read_text("utf-8"))
        tools = client.chat.completions.create.call_args.kwargs["tools"]
        self.assertEqual(tools[0]["function"]["name"], "memory_bootstrap")

    def test_anthropic_loop_sends_the_bootstrap_and_the_results(self):
        session = self.session()
        use = message(type="tool_use", id="t1", name="memory_read", input={"file": "USER.md"})
        say = message(type="text", text="Done.")
        client = mock.Mock()
        client.messages.create.side_effect = [
            types.SimpleNamespace(content=[use], stop_reason="tool_use"),
            types.SimpleNamespace(content=[say], stop_reason="end_turn"),
        ]
        messages = anthropic.run_agent_loop(session, client, [{"role": "user", "content": "Hi"}])
        roles = [it["role"] for it in messages]
        self.assertEqual(roles, ["user", "assistant", "user", "assistant"])
        result = messages[2]["content"][0]
        self.assertEqual(result["tool_use_id"], "t1")
        self.assertEqual(json.loads(result["content"])["status"], "ok")
        system = client.messages.create.call_args.kwargs["system"]
        self.assertIn("groundmemory bootstrap start", system)


if __name__ == "__main__":
    unittest.main()

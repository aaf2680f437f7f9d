"""
Runs GroundMemory's own tests against og: ``python upstream.py CLONE [PYTEST ARGUMENTS]``, with
pytest, pytest-asyncio and numpy installed, and og named in OG_EXECUTABLE.

``groundmemory`` becomes ``og_memory``. Functions that upstream's tests import from its inner
modules are commands of og here. Tests that import anything else fail.
"""

import importlib
import importlib.abc
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types

here = pathlib.Path(__file__).parent
sys.path.insert(0, str(here))

import og_memory.core.workspace  # noqa: E402
import og_memory.session  # noqa: E402
from og_memory._executable import find_og  # noqa: E402


class Alias(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Loads ``groundmemory.x`` as the module ``og_memory.x``, or as a module of commands below."""

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "groundmemory":
            return importlib.util.spec_from_loader(name, self, is_package=name not in commands)
        return None

    def create_module(self, spec):
        if spec.name in commands:
            module = types.ModuleType(spec.name)
            vars(module).update(commands[spec.name])
            return module
        if spec.name in ("groundmemory.bootstrap", "groundmemory.core"):
            return types.ModuleType(spec.name)
        try:
            return importlib.import_module(spec.name.replace("groundmemory", "og_memory", 1))
        except ModuleNotFoundError:
            raise ModuleNotFoundError(f"No module named {spec.name!r}") from None

    def exec_module(self, module):
        pass


def og(*args, workspace, config=None):
    """Runs a command of og on a workspace. Returns its output."""
    where = ["--root", str(workspace.parent), "--workspace", workspace.name]
    env = {**os.environ, "GROUNDMEMORY_EMBEDDING__PROVIDER": "none"}
    env.update(config.variables() if config else {})
    command = [find_og(), "memory", *args, *where]
    ran = subprocess.run(command, capture_output=True, encoding="utf-8", env=env)
    if ran.returncode == 2:
        raise RuntimeError(ran.stderr)
    return ran.stdout


# Relations


def relations_in(text):
    with tempfile.TemporaryDirectory() as root:
        workspace = pathlib.Path(root) / "w"
        workspace.mkdir()
        (workspace / "RELATIONS.md").write_text(text, encoding="utf-8")
        return json.loads(og("relations", "--json", workspace=workspace))


class RelationLine:
    def match(self, line):
        found = relations_in(line + "\n")
        if not found:
            return None
        values = [found[0][name] for name in ("subject", "predicate", "object", "date", "note")]
        return types.SimpleNamespace(
            groups=lambda: tuple(values), group=lambda number: values[number - 1]
        )


def parse_relations_from_file(path):
    if not path.exists():
        return []
    names = ("subject", "predicate", "object", "note")
    return [{name: it[name] for name in names} for it in relations_in(path.read_text("utf-8"))]


def sync_relations_from_file(path, index):
    """og reads RELATIONS.md at each call, so there is nothing to bring up to date."""
    before = {it["id"] for it in index.seen}
    found = index.get_all_relations()
    ids = {it["id"] for it in found}
    return {"upserted": len(ids), "deleted": len(before - ids), "total_in_file": len(found)}


def sync_file(path, index, provider, chunking):
    return index.session.sync()


def validate_relations_replacement(text):
    with tempfile.TemporaryDirectory() as root:
        config = og_memory.config.groundmemoryConfig(
            root_dir=root, embedding={"provider": "none"}
        )
        with og_memory.session.MemorySession.create("w", config) as session:
            session.workspace.relations_file.write_text("- [X] --y--> [Z]\n", encoding="utf-8")
            answer = session.execute_tool(
                "memory_write", file="RELATIONS.md", search="- [X] --y--> [Z]", content=text
            )
            lines = [line for line in text.splitlines() if line.strip()]
            if answer["status"] == "ok":
                return True, [it for it in lines if it.lstrip().startswith("-")], []
            invalid = [line for line in lines if line in answer["message"].split("\n")[0]]
            return False, [line for line in lines if line not in invalid], invalid


class Index:
    """``session.index`` of upstream's sessions."""

    def __init__(self, session):
        self.session = session
        self.seen = []

    def get_all_relations(self):
        self.seen = self.session.relations()
        return self.seen


def index_of(session):
    return vars(session).setdefault("_index", Index(session))


og_memory.session.MemorySession.index = property(index_of)
og_memory.session.MemorySession.provider = None


# Workspaces and backups


class Workspace(og_memory.core.workspace.Workspace):
    def __init__(self, path, custom_files=None):
        super().__init__(path, custom_files)
        self._config = og_memory.config.groundmemoryConfig(custom_files=self.custom_files)
        self.path.mkdir(parents=True, exist_ok=True)
        self._session().close()

    def _session(self):
        self._config.root_dir = self.path.parent
        self._config.embedding.provider = "none"
        self._config.expose_memory_list = True
        return og_memory.session.MemorySession.create(self.path.name, self._config)

    def _listed(self):
        with self._session() as session:
            return [self.path / it["file"] for it in session.execute_tool("memory_list")["files"]]

    def all_files(self):
        return self._listed()

    def all_memory_files(self):
        hidden = {it.name for it in self.custom_files if not it.searchable}
        return [path for path in self._listed() if path.name not in hidden]

    def resolve_file(self, name):
        with self._session() as session:
            answer = session.execute_tool("memory_read", file=str(name))
            if answer["status"] == "error" and "File not found" not in answer["message"]:
                raise ValueError(answer["message"])
            return (self.path / name).resolve()


def backup_dir(workspace):
    folder = workspace / "backups"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def list_backups(workspace):
    answer = json.loads(og("list-backups", "--json", workspace=workspace))
    return sorted(workspace / "backups" / f"{it['name']}.zip" for it in answer)


def create_backup(workspace):
    answer = json.loads(og("backup", "--json", workspace=workspace))
    return workspace / "backups" / f"{answer['name']}.zip"


def restore_backup(archive, workspace):
    og("restore", archive.stem, "--yes", workspace=workspace)


def cmd_backup(workspace):
    print(og("backup", workspace=workspace))


def cmd_sync(workspace, config=None):
    print(og("sync", workspace=workspace, config=config))


def build_bootstrap_prompt(workspace, config, index=None, inject_compaction_notice=False, **_):
    workspace._config.bootstrap = config
    if inject_compaction_notice:
        config.compaction_token_threshold = 1
    with workspace._session() as session:
        return session.bootstrap()


def tool_schema(name):
    return {"SCHEMA": next(it for it in og_memory.tools._schemas() if it["name"] == name)}


def load_commands():
    return {
        "groundmemory.__main__": {"cmd_backup": cmd_backup, "cmd_sync": cmd_sync},
        "groundmemory.bootstrap.injector": {"build_bootstrap_prompt": build_bootstrap_prompt},
        "groundmemory.core.backup": {
            "backup_dir": backup_dir,
            "create_backup": create_backup,
            "list_backups": list_backups,
            "restore_backup": restore_backup,
        },
        "groundmemory.core.embeddings": {"NullEmbeddingProvider": None},
        "groundmemory.core.relations": {
            "_cosine_similarity": None,
            "RELATION_LINE_RE": RelationLine(),
            "_relation_id": None,
            "add_relation": None,
            "parse_relations_from_file": parse_relations_from_file,
            "sync_relations_from_file": sync_relations_from_file,
        },
        "groundmemory.core.sync": {"sync_file": sync_file},
        "groundmemory.core.workspace": {"Workspace": Workspace},
        "groundmemory.tools.memory_compact": tool_schema("memory_compact"),
        "groundmemory.tools.memory_read": tool_schema("memory_read"),
        "groundmemory.tools.memory_replace": {
            "_validate_relations_replacement": validate_relations_replacement
        },
    }


commands = load_commands()


def main(clone, *args):
    import pytest

    sys.meta_path.insert(0, Alias())
    # Upstream's root folder would come before the alias.
    own = pathlib.Path(clone).resolve()
    sys.path[:] = [it for it in sys.path if pathlib.Path(it or ".").resolve() != own]
    os.chdir(clone)
    marks = "not local and not api_embeddings and not embeddings"
    return pytest.main(["tests", "-m", marks, "-q", "-p", "no:cacheprovider", "--tb=line",
                        "--continue-on-collection-errors", *args])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

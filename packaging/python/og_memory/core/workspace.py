"""The paths of the files of a workspace. og creates and writes them."""

import datetime
import pathlib


class Workspace:
    def __init__(self, workspace_path, custom_files=None):
        self.path = self.workspace_path = pathlib.Path(workspace_path)
        self.custom_files = list(custom_files or [])
        self.memory_file = self.path / "MEMORY.md"
        self.user_file = self.path / "USER.md"
        self.agents_file = self.path / "AGENTS.md"
        self.relations_file = self.path / "RELATIONS.md"
        self.first_run_file = self.path / "FIRST_RUN.md"
        self.daily_dir = self.path / "daily"
        self.index_dir = self.path / ".index"
        self.db_path = self.index_dir / "og.db"

    def daily_file(self, day=None):
        return self.daily_dir / f"{day or datetime.date.today()}.md"

    def __repr__(self):
        return f"Workspace({str(self.path)!r})"

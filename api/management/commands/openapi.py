"""Writes the OpenAPI document and the list of operations in docs/api.md."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings

from api.reference import guide_with
from fartbench.commands import Command as Base
from fartbench.errors import Refusal


class OutOfDate(Refusal):
    """A file that is made from the operations and was not made again after they changed."""


class Command(Base):
    help = "Write docs/openapi.json and the list of operations in docs/api.md."
    needs_database = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--check", action="store_true", help="write nothing; refuse when a file is out of date"
        )

    def run(self, **options: Any) -> None:
        from api.application import document  # noqa: PLC0415 - takes long, and is needed here alone

        folder = Path(settings.BASE_DIR) / "docs"
        guide = folder / "api.md"
        files = {
            folder / "openapi.json": json.dumps(document(), indent=1, ensure_ascii=False) + "\n",
            guide: guide_with(guide.read_text(encoding="utf-8"), document()),
        }
        for file, text in files.items():
            is_current = file.is_file() and file.read_text(encoding="utf-8") == text
            if options["check"] and not is_current:
                raise OutOfDate(f"docs/{file.name} is out of date: run “manage.py openapi”.")
            file.write_text(text, encoding="utf-8")
        self.say("docs/openapi.json and docs/api.md are up to date.")

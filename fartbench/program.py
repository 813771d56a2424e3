"""Which program this is: version, commit, and the packages that compute. No Django here."""

from __future__ import annotations

import platform
import subprocess
import tomllib
from functools import cache
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("numpy", "scipy", "pydantic", "django", "svg.py")


@cache
def program() -> dict[str, str]:
    """Return name, version and commit of this program; a commit with changes of one's own ends in
    ``+changes``.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {"name": str(project["name"]), "version": str(project["version"]), "commit": _commit()}


@cache
def packages() -> dict[str, str]:
    """Return the versions of Python and of the packages that compute and draw."""
    return {"python": platform.python_version(), **{name: version(name) for name in PACKAGES}}


def _commit() -> str:
    commit = _git("rev-parse", "HEAD")
    if not commit:
        return "unknown"  # no git here, as in an image
    if _git("status", "--porcelain", "--untracked-files=no"):
        return f"{commit}+changes"
    return commit


def _git(*arguments: str) -> str:
    # Without its optional locks: a git that is killed with us, or meets a full disk, would leave
    # one in the checkout.
    command = ["git", "--no-optional-locks", "-C", str(ROOT), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()

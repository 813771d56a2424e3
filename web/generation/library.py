"""Protocols and configurations: those that are loaded, those that come with the program, and one's
own from a file.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.views.decorators.http import require_http_methods

from fartbench.archives import ArchiveLimits, unpack
from fartbench.errors import BadInput, Refusal
from fartbench.models import ProtocolVersion
from fartbench.protocols import store_protocol
from fartbench.sent_names import common_folder, fault_of_path, shown
from generation.configurations.loader import FOLDER as CONFIGURATIONS
from generation.configuring import LoadReport, load_configurations
from generation.models import Configuration
from web.generation.access import commissions, shared_context

PROTOCOLS = Path(settings.BASE_DIR) / "fixtures" / "protocols"
LIMITS = ArchiveLimits(entries=500, file_bytes=1_000_000, total_bytes=10_000_000)


class NothingToLoad(Refusal):
    """A form that names nothing that could be loaded."""


@require_http_methods(["GET", "HEAD", "POST"])
@commissions
def library(request: HttpRequest) -> HttpResponseBase:
    """Show what is loaded and what can be, and load it."""
    if request.method == "POST":
        try:
            messages.success(request, _load(request, request.user.get_username()))
        except Refusal as refusal:
            messages.error(request, str(refusal))
        return redirect("generation-library")
    loaded = list(ProtocolVersion.objects.defer("content").order_by("name", "version"))
    names = {f"{one.name}/{one.version}" for one in loaded}
    context = {
        "protocols": loaded,
        "bundled": [name for name in bundled_protocols() if name not in names],
        "configurations": Configuration.objects.exclude(digest="").order_by("name"),
        "bundled_configurations": len(list(CONFIGURATIONS.glob("*.yaml"))),
        **shared_context(),
    }
    return TemplateResponse(request, "generation/library.html", context)


def bundled_protocols() -> list[str]:
    """Return the protocols that come with the program, as “name/version”."""
    return sorted(
        f"{path.parent.parent.name}/{path.parent.name}"
        for path in PROTOCOLS.glob("*/*/protocol.yaml")
    )


def _load(request: HttpRequest, actor: str) -> str:
    """Do what a button says; return what was done, in words."""
    action, upload = request.POST.get("action", ""), request.FILES.get("file")
    if action == "bundled_protocol":
        name = request.POST.get("protocol", "")
        if name not in bundled_protocols():
            raise NothingToLoad(f"No protocol {name!r} comes with the program.")
        return _protocol_loaded(PROTOCOLS / name, actor)
    if action == "bundled_configurations":
        return _words_of(load_configurations(actor=actor))
    if upload is None:
        raise NothingToLoad("Choose a file: a YAML file, or a ZIP of a folder of them.")
    if action == "protocol":
        return load_sent_protocol(upload, actor)
    return load_sent_configurations(upload, actor)


def load_sent_protocol(upload: Any, actor: str) -> str:
    """Load the protocol in a sent YAML or ZIP file; return what was done, in words."""
    return _from_upload(upload, lambda folder: _protocol_loaded(_protocol_in(folder), actor))


def load_sent_configurations(upload: Any, actor: str) -> str:
    """Load the configurations in a sent YAML or ZIP file; return what was done, in words."""
    return _from_upload(
        upload, lambda folder: _words_of(load_configurations(folder=folder, actor=actor))
    )


def _protocol_loaded(folder: Path, actor: str) -> str:
    version = store_protocol(folder, actor=actor)
    rules = version.rules
    return (
        f"{version} is loaded: {len(rules.scenes)} {rules.words.scene}s. Rounds can be made on it."
    )


def _protocol_in(folder: Path) -> Path:
    """Return the folder itself, or its one YAML file where that has another name."""
    files = list(folder.iterdir())
    return files[0] if len(files) == 1 and files[0].is_file() else folder


def _words_of(report: LoadReport) -> str:
    return (
        f"{len(report.added)} configurations added, {len(report.changed)} changed, "
        f"{len(report.unchanged)} unchanged."
    )


def _from_upload(upload: Any, load: Callable[[Path], str]) -> str:
    """Lay the uploaded file or ZIP out in a folder, and load that.

    Faults name the file as it was sent, not where it lay for a moment.
    """
    name = str(upload.name)
    with tempfile.TemporaryDirectory() as room:
        folder = Path(room) / "sent"
        folder.mkdir()
        try:
            return load(_laid_out(upload, folder, name))
        except BadInput as refusal:
            what = refusal.what.removeprefix(f"{folder}/").replace(str(folder), name)
            raise BadInput(what, refusal.faults) from refusal
        except Refusal as refusal:
            raise NothingToLoad(
                str(refusal).replace(f"{folder}/", "").replace(str(folder), name)
            ) from refusal


def _laid_out(upload: Any, folder: Path, name: str) -> Path:
    """Put what was sent into ``folder``; return the one folder that holds all its files, or that.

    Raises BadInput for a name that is none, and ArchiveRefused.
    """
    if name.lower().endswith(".zip"):
        archive = folder.parent / "sent.zip"
        archive.write_bytes(upload.read())
        return folder / common_folder(unpack(archive, folder, LIMITS, name=name))
    if fault := fault_of_path(name):
        raise BadInput(shown(name), [fault])
    (folder / name).write_bytes(upload.read())
    return folder

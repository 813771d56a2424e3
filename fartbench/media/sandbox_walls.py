"""The walls around the child: no network, and of the disk only what its policy names. No Django
here.

Linux only: a network namespace of its own, and Landlock for files, programs, signals and the
network (docs.kernel.org/userspace-api/landlock.html). Where the kernel does not have them, the
child says so.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
from collections.abc import Iterable, Mapping
from pathlib import Path

from fartbench.media.sandbox_policy import DEVICES, SYSTEM, of_python

_NEWUSER, _NEWNET = 0x10000000, 0x40000000
_NO_NEW_PRIVS, _SET_DUMPABLE = 38, 4
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same numbers on every architecture
_VERSION, _PATH_BENEATH = 1, 1
EXECUTE, WRITE_FILE, READ_FILE = 1 << 0, 1 << 1, 1 << 2
# Everything that changes a folder. Reading the names in one (1 << 3) stays free: imports need it.
CHANGE_FOLDER = sum(1 << bit for bit in range(4, 13))
REFER, TRUNCATE, DEVICE_IOCTL = 1 << 13, 1 << 14, 1 << 15
_SINCE = {2: REFER, 3: TRUNCATE, 5: DEVICE_IOCTL}
_TCP = 0b11  # bind and connect
_NETWORK_SINCE, _SCOPES_SINCE = 4, 6
_SCOPES = 0b11  # abstract sockets, and signals to processes outside

_libc = ctypes.CDLL(None, use_errno=True)


def landlock_version() -> int:
    """Return the version of Landlock that the kernel has, 0 for none."""
    if platform.system() != "Linux":
        return 0
    return max(0, int(_libc.syscall(_CREATE_RULESET, None, 0, _VERSION)))


def shut_in(policy: Mapping[str, Iterable[str]]) -> dict[str, bool]:
    """Build the walls around this process, for good, and say which of them stand: network,
    files.
    """
    network = leave_network()
    _libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0)
    files = _restrict(policy)
    return {"network": network or (files and landlock_version() >= _NETWORK_SINCE), "files": files}


def leave_network() -> bool:
    """Move into a network of nothing, if the kernel lets this account."""
    if platform.system() != "Linux":
        return False
    if _libc.unshare(_NEWNET) == 0:
        return True
    uid, gid = os.getuid(), os.getgid()
    if _libc.unshare(_NEWUSER | _NEWNET) != 0:
        return False
    # Without a mapping this account would be nobody, and could not write where it may.
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{uid} {uid} 1"),
        ("gid_map", f"{gid} {gid} 1"),
    ):
        Path(f"/proc/self/{name}").write_text(text, encoding="ascii")
    return True


def keep_environment_to_oneself() -> None:
    """Let no other process of this account read this one's memory and environment."""
    if platform.system() == "Linux":
        _libc.prctl(_SET_DUMPABLE, 0, 0, 0, 0)


def _restrict(policy: Mapping[str, Iterable[str]]) -> bool:
    version = landlock_version()
    if not version:
        return False
    handled = EXECUTE | WRITE_FILE | READ_FILE | CHANGE_FOLDER
    handled |= sum(right for since, right in _SINCE.items() if version >= since)
    rules = struct.pack(
        "QQQ",
        handled,
        _TCP if version >= _NETWORK_SINCE else 0,
        _SCOPES if version >= _SCOPES_SINCE else 0,
    )
    size = 24 if version >= _SCOPES_SINCE else 16 if version >= _NETWORK_SINCE else 8
    ruleset = _libc.syscall(_CREATE_RULESET, rules[:size], size, 0)
    if ruleset < 0:
        return False
    allowed: dict[str, int] = {}
    for paths, rights in (
        (map(str, (*SYSTEM, *of_python(), *policy["reads"])), READ_FILE),
        (DEVICES, WRITE_FILE),
        (policy["writes"], READ_FILE | (handled & ~EXECUTE)),
        ((*policy["programs"], *_LOADERS), READ_FILE | EXECUTE),
    ):
        for path in paths:
            allowed[path] = allowed.get(path, 0) | rights
    for path, rights in allowed.items():
        _allow(ruleset, path, rights & handled)
    is_shut = bool(_libc.syscall(_RESTRICT_SELF, ruleset, 0) == 0)
    os.close(ruleset)
    return is_shut


# What the kernel starts in a program's stead, to load its libraries.
_LOADERS = tuple(
    str(path) for folder in ("/lib64", "/lib") for path in sorted(Path(folder).glob("ld-*.so*"))
)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # there is nothing to read
    if not Path(path).is_dir():
        rights &= EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | DEVICE_IOCTL
    rule = struct.pack("=Qi", rights, descriptor)
    _libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0)
    os.close(descriptor)

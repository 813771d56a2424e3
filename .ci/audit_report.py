"""Read what pip-audit found about a lock file, say it, and end with its status: see
``.ci/audit``.
"""

import json
import sys
from pathlib import Path

NOTHING_KNOWN, VULNERABLE, NOT_MADE = 0, 1, 3


def main(lock: str, report: str, log: str) -> int:
    """Print the vulnerable packages of a lock file and return the status."""
    try:
        packages = json.loads(Path(report).read_text(encoding="utf-8"))["dependencies"]
    except (ValueError, KeyError, TypeError):
        said = Path(log).read_text(encoding="utf-8").strip().splitlines()
        return _not_made(lock, said[-1] if said else "pip-audit said nothing")
    faults = [
        f"{package['name']} {package['version']}: {fault['id']}, mended in "
        f"{', '.join(fault['fix_versions']) or 'none'}"
        for package in packages
        for fault in package.get("vulns", [])
    ]
    sys.stdout.write("".join(f"{lock}: {fault}\n" for fault in faults))
    if faults:
        return VULNERABLE
    # A package that the database does not answer for is skipped by pip-audit, which calls that a
    # success.
    if skipped := [package["name"] for package in packages if "skip_reason" in package]:
        return _not_made(
            lock, f"the database knows nothing of {len(skipped)} of {len(packages)} packages"
        )
    sys.stdout.write(f"{lock}: no known vulnerability in {len(packages)} packages\n")
    return NOTHING_KNOWN


def _not_made(lock: str, reason: str) -> int:
    sys.stderr.write(
        f"AUDIT NOT MADE of {lock}: {reason}. It needs the public vulnerability database "
        "(network).\n"
    )
    return NOT_MADE


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

"""The set-up (``.ci/bootstrap``), run on machines made of stand-in programs: nothing is downloaded
or installed.
"""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


class Machine:
    """A checkout, and a PATH of stand-in programs that write to a log what they are called for."""

    def __init__(self, folder: Path) -> None:
        self.checkout = folder / "a checkout"
        self.checkout.mkdir()
        self.programs = folder / "bin"
        self.programs.mkdir()
        self.log = folder / "log"
        self.log.touch()
        shutil.copytree(ROOT / ".ci", self.checkout / ".ci")
        for lock in ("requirements.lock", "requirements-dev.lock", "requirements-weights.lock"):
            (self.checkout / lock).write_text(f"{lock}\n")
        (self.checkout / "pyproject.toml").write_text(
            'weights = ["safetensors>=0", "torch==1.2"]\n'
        )
        for tool in (
            "cat",
            "chmod",
            "cut",
            "dirname",
            "flock",
            "grep",
            "ls",
            "mkdir",
            "rm",
            "sed",
            "sh",
            "sha256sum",
            "env",
        ):
            (self.programs / tool).symlink_to(
                shutil.which(tool) or pytest.fail(f"{tool} is missing")
            )

    def program(self, name: str, script: str) -> None:
        path = self.programs / name
        path.write_text(f'#!/bin/sh\necho "{name} $*" >>"{self.log}"\n{script}\n')
        path.chmod(0o755)

    def python(self, version: str = "3.11", *, ensurepip: bool = True) -> None:
        """Install a ``python3`` whose environments hold a Python that logs what pip is asked
        for.
        """
        inner = self.programs.parent / "python-of-an-environment"
        inner.write_text(
            "#!/bin/sh\n"
            'case "$*" in *purelib*) dirname "$0"; exit ;;\n'
            '"-m venv "*) mkdir -p .venv-weights/bin && cat "$0" >.venv-weights/bin/python\n'
            "chmod +x .venv-weights/bin/python; exit ;; esac\n"
            f'[ "$1" = -c ] || echo "pip ${{PIP_USER-}}${{PIP_TARGET-}} $*" >>"{self.log}"\n'
            f'! [ -e "{self.programs.parent}/pip-breaks" ] || [ "$1" = -c ]\n'
        )
        self.program(
            "python3",
            f"""case "$*" in
            *version_info*) echo {version} ;;
            *ensurepip*) exit {0 if ensurepip else 1} ;;
            "-m venv "*) mkdir -p .venv/bin && cat "{inner}" >.venv/bin/python && chmod +x .venv/bin/python ;;
            esac""",
        )

    def user(self, number: int) -> None:
        self.program("id", f"echo {number}")

    def bootstrap(self, kind: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["/bin/sh", ".ci/bootstrap", kind],
            cwd=self.checkout,
            env={"PATH": str(self.programs), **environment},
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )

    def calls(self, start: str) -> list[str]:
        return [line for line in self.log.read_text().splitlines() if line.startswith(start)]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """Return a machine with Python, Chromium, nginx, mkvmerge and apt-get, used by a plain user."""
    machine = Machine(tmp_path)
    machine.python()
    machine.program("chromium", "")
    machine.program("nginx", "")
    machine.program("mkvmerge", "")
    machine.program("apt-get", "")
    machine.user(1000)
    return machine


@pytest.mark.parametrize("kind", ["runtime", "dev"])
def test_set_up_installs_a_lock_file_once(machine: Machine, kind: str):
    first, second = machine.bootstrap(kind), machine.bootstrap(kind)
    assert (first.returncode, second.returncode, second.stdout, second.stderr) == (0, 0, "", "")
    (install,) = machine.calls("pip")
    assert "--require-hashes" in install
    assert install.endswith("requirements.lock" if kind == "runtime" else "requirements-dev.lock")


def test_both_lock_files_share_one_environment(machine: Machine):
    assert [
        machine.bootstrap(kind).returncode for kind in ("runtime", "dev", "runtime", "dev")
    ] == [0, 0, 0, 0]
    assert len(machine.calls("pip")) == 2
    assert len(machine.calls("python3 -m venv")) == 1


def test_pytorch_comes_into_an_environment_of_its_own_that_looks_into_the_other(machine: Machine):
    refused = machine.bootstrap("weights")
    assert (refused.returncode, refused.stderr) == (
        1,
        "There is no .venv to build on. Run make setup first.\n",
    )
    runs = [machine.bootstrap(kind).returncode for kind in ("dev", "weights", "weights")]
    assert runs == [0, 0, 0]
    _, needs, torch = machine.calls("pip")
    assert needs.endswith("--require-hashes --requirement requirements-weights.lock")
    assert torch.endswith("--only-binary :all: torch==1.2")
    assert (machine.checkout / ".venv-weights" / "bin" / "below.pth").read_text() == ".venv/bin\n"
    (machine.checkout / "pyproject.toml").write_text('weights = ["torch==1.3"]\n')
    machine.bootstrap("weights")
    assert machine.calls("pip")[-1].endswith("torch==1.3")


def test_a_changed_lock_file_is_installed(machine: Machine):
    machine.bootstrap("runtime")
    (machine.checkout / "requirements.lock").write_text("changed\n")
    machine.bootstrap("runtime")
    assert len(machine.calls("pip")) == 2


def test_after_an_interrupted_install_the_environment_is_made_anew(
    machine: Machine, tmp_path: Path
):
    (tmp_path / "pip-breaks").touch()
    assert machine.bootstrap("runtime").returncode != 0
    (tmp_path / "pip-breaks").unlink()
    assert machine.bootstrap("runtime").returncode == 0
    assert len(machine.calls("python3 -m venv")) == 2
    assert machine.bootstrap("runtime").stdout == ""


def test_an_environment_whose_python_has_gone_is_made_anew(machine: Machine):
    machine.bootstrap("runtime")
    (machine.checkout / ".venv" / "bin" / "python").unlink()
    assert machine.bootstrap("runtime").returncode == 0
    assert len(machine.calls("python3 -m venv")) == 2


def test_pip_settings_of_the_user_do_not_move_the_install(machine: Machine):
    machine.bootstrap("runtime", PIP_USER="1", PIP_TARGET="/elsewhere")
    assert machine.calls("pip")[0].startswith("pip 0 -m pip install")


def test_a_plain_user_is_told_the_line_to_run_before_anything_is_done(machine: Machine):
    machine.python(ensurepip=False)
    (machine.programs / "chromium").unlink()
    machine.program("sudo", "")
    result = machine.bootstrap("dev")
    line = "sudo apt-get install -y --no-install-recommends python3-venv chromium chromium-sandbox"
    assert result.returncode != 0
    assert f"    sudo apt-get update && {line}\n" in result.stderr
    assert machine.calls("apt-get") == machine.calls("sudo") == []
    assert not (machine.checkout / ".venv").exists()


def test_a_plain_user_without_sudo_is_told_of_su(machine: Machine):
    machine.python(ensurepip=False)
    result = machine.bootstrap("runtime")
    line = "su -c 'apt-get update && apt-get install -y --no-install-recommends python3-venv'"
    assert f"    {line}\n" in result.stderr


def test_root_gets_the_debian_packages_without_being_asked(machine: Machine):
    machine.user(0)
    (machine.programs / "chromium").unlink()
    machine.program("apt-get", f'echo "frontend $DEBIAN_FRONTEND" >>"{machine.log}"')
    result = machine.bootstrap("dev")
    update, install = machine.calls("apt-get")
    assert result.returncode == 0
    assert "update" in update
    assert install.endswith("install -y --no-install-recommends chromium chromium-sandbox")
    assert set(machine.calls("frontend")) == {"frontend noninteractive"}


def test_firefox_is_wanted_for_its_own_tests_alone(machine: Machine):
    machine.user(1000)
    machine.program("sudo", "")
    assert machine.bootstrap("dev").returncode == 0
    result = machine.bootstrap("firefox")
    assert result.returncode != 0
    assert "sudo apt-get install -y --no-install-recommends firefox-esr\n" in result.stderr
    machine.program("firefox-esr", "")
    assert machine.bootstrap("firefox").returncode == 0
    assert len(machine.calls("pip")) == 1


def test_nginx_is_looked_for_where_debian_puts_it_and_asked_for_otherwise(machine: Machine):
    (machine.programs / "nginx").unlink()
    (machine.programs / "ls").unlink()
    machine.program("sudo", "")
    machine.program("ls", 'case "$*" in *nginx*) exit 1 ;; *) echo found ;; esac')
    result = machine.bootstrap("dev")
    assert result.returncode != 0
    assert "sudo apt-get install -y --no-install-recommends nginx\n" in result.stderr
    machine.program("ls", "echo found")
    assert machine.bootstrap("dev").returncode == 0


def test_mkvmerge_is_asked_for_by_the_tests(machine: Machine):
    (machine.programs / "mkvmerge").unlink()
    machine.program("sudo", "")
    result = machine.bootstrap("dev")
    line = "sudo apt-get install -y --no-install-recommends mkvtoolnix"
    assert result.returncode != 0
    assert f"    sudo apt-get update && {line}\n" in result.stderr
    assert machine.calls("apt-get") == machine.calls("pip") == []


def test_running_the_product_needs_no_browser_and_no_mkvmerge(machine: Machine):
    (machine.programs / "chromium").unlink()
    (machine.programs / "mkvmerge").unlink()
    assert machine.bootstrap("runtime").returncode == 0


@pytest.mark.parametrize("version", ["3.9", "3.15"])
def test_a_python_that_is_too_old_or_too_new_is_named(machine: Machine, version: str):
    machine.python(version)
    result = machine.bootstrap("runtime")
    assert result.returncode != 0
    assert result.stderr.startswith(
        f"FARTBench needs Python 3.11, 3.12, 3.13 or 3.14; found: {version}."
    )
    assert not (machine.checkout / ".venv").exists()


def test_a_browser_that_is_named_must_be_there(machine: Machine):
    result = machine.bootstrap("dev", CHROMIUM="/nowhere/chromium")
    assert result.returncode != 0
    assert result.stderr == "CHROMIUM=/nowhere/chromium is no program. Correct it or unset it.\n"

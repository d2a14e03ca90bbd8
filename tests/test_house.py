"""The house rules hold, and each of them would notice an offender."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def tool(name: str):
    spec = importlib.util.spec_from_file_location(f"tools_{name}", ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


house = tool("house")
environment = tool("environment")


def test_the_package_keeps_the_house_rules():
    broken = [r for r in house.measure(ROOT) if r.ok is False]
    assert not broken, house.table(broken)


OFFENDERS = {
    "module max": '"""A."""\n' + "x = 1\n" * 501,
    "function max": '"""A."""\n\n\ndef f() -> None:\n    """Do."""\n' + "    x = 1\n" * 80,
    "functions typed": '"""A."""\n\n\ndef f(a) -> None:\n    """Do."""\n',
    "public documented": '"""A."""\n\n\nclass A:\n    """A."""\n\n    def f(self) -> None: ...\n',
    "broad excepts": '"""A."""\ntry:\n    x = 1\n\nexcept (ValueError, Exception):\n\n    x = 2\n',
    "prints outside the CLI": '"""A."""\nprint(1)\n',
    "import cycles": '"""A."""\n\n\ndef f() -> None:\n    """Do."""\n    from . import b\n',
}


@pytest.mark.parametrize("rule", OFFENDERS)
def test_an_offender_is_named(tmp_path, rule):
    (tmp_path / "tests").mkdir()
    package = tmp_path / "cuakit"
    package.mkdir()
    (package / "__init__.py").write_text('"""P."""\n')
    (package / "a.py").write_text(OFFENDERS[rule])
    (package / "b.py").write_text('"""B."""\n\nfrom cuakit.a import f\n')
    rows = {r.rule: r for r in house.measure(tmp_path)}
    assert rows[rule].ok is False
    assert any("a" in where for where in rows[rule].where)
    kind = rule.split()[0]  # one huge function also moves the percentiles of its kind
    assert {r.rule.split()[0] for r in rows.values() if r.ok is False} == {kind}


def test_a_print_in_a_docstring_and_a_reasoned_handler_are_no_offence(tmp_path):
    (tmp_path / "tests").mkdir()
    (tmp_path / "cuakit").mkdir()
    text = '"""A.\n\n>>> print(1)\n"""\n\ntry:\n    x = 1\nexcept Exception:  # the plug-in is not ours\n    x = 2\n'
    (tmp_path / "cuakit/a.py").write_text(text)
    assert [r.rule for r in house.measure(tmp_path) if r.ok is False] == []


def test_cleaning_up_and_raising_again_is_no_broad_except(tmp_path):
    (tmp_path / "tests").mkdir()
    (tmp_path / "cuakit").mkdir()
    (tmp_path / "cuakit/a.py").write_text(
        '"""A."""\n\n\ntry:\n    x = 1\n\nexcept BaseException:\n\n    x = 2\n    raise\n'
    )
    assert [r.rule for r in house.measure(tmp_path) if r.ok is False] == []


def test_environment_yml_follows_pyproject():
    assert environment.main(["--check"]) == 0


def test_environment_yml_names_every_requirement_of_all_dev_and_docs():
    """An extra that `all` leaves out is opt-in, in conda too."""
    text = (ROOT / "environment.yml").read_text("utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [*re.findall(r"\w+", extras["all"][0].partition("[")[2]), "dev", "docs"]
    specs = [*project["dependencies"], *(d for extra in wanted for d in extras[extra])]
    names = {re.split(r"[<>=;\[ ]", s)[0] for s in specs} - {"cuakit"}
    assert [n for n in sorted(names) if f'"{n}' not in text] == []


def test_every_lint_exemption_in_pyproject_has_its_reason():
    lines = (
        (ROOT / "pyproject.toml").read_text("utf-8").split("[tool.ruff.lint]")[1].split("[tool.mypy]")[0].splitlines()
    )
    bare = [line for line in lines if re.match(r'\s*"[A-Z]+\d*"|^".*" = \[', line) and "#" not in line]
    assert bare == []


BASICS = "sh env cat chmod cksum dirname grep head id ln mkdir mktemp mv pwd rm sed tail uname"


def fresh_machine(tmp_path: Path, *, python: str = "") -> tuple[Path, dict[str, str]]:
    """A copy of what setup needs, and a PATH with nothing but the basics and perhaps a Python."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in BASICS.split():
        (tools / name).symlink_to(shutil.which(name))
    for name in ("Xvfb", "openbox", "dbus-launch", "xterm", "chromium", "npm"):
        (tools / name).write_text("#!/bin/sh\n")
        (tools / name).chmod(0o755)
    if python:
        (tools / "python3").write_text(f"#!/bin/sh\n{python}\n")
        (tools / "python3").chmod(0o755)
    project = tmp_path / "project"
    (project / "tools").mkdir(parents=True)
    shutil.copy(ROOT / "tools/setup.sh", project / "tools")
    shutil.copy(ROOT / "pyproject.toml", project)
    return project, {"PATH": str(tools), "HOME": str(tmp_path)}


def set_up(project: Path, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["sh", "tools/setup.sh"], cwd=project, env=env, capture_output=True, text=True, check=False)


needs_sh = pytest.mark.skipif(os.name == "nt", reason="setup.sh is for POSIX systems")


@needs_sh
def test_setup_says_plainly_that_there_is_no_python(tmp_path):
    told = set_up(*fresh_machine(tmp_path))
    assert told.returncode == 1
    assert "Python 3.11 or newer is needed" in told.stderr


@needs_sh
def test_setup_does_not_take_an_old_python(tmp_path):
    told = set_up(*fresh_machine(tmp_path, python="exit 1"))
    assert told.returncode == 1
    assert "Python 3.11 or newer is needed" in told.stderr


@needs_sh
def test_setup_says_what_to_install_when_python_came_without_venv_and_it_cannot_mend_it(tmp_path):
    python = f'case "$*" in *version_info*) exec {sys.executable} "$@";; *) exit 1;; esac'
    told = set_up(*fresh_machine(tmp_path, python=python))
    assert told.returncode == 1
    assert "Install python3-venv" in told.stderr
    assert not (tmp_path / "project/.venv").exists()


@needs_sh
def test_setup_done_before_does_nothing(tmp_path):
    """With a matching stamp it never calls Python's package machinery: the fake one would fail."""
    project, env = fresh_machine(tmp_path, python="exit 1")
    venv = project / ".venv/bin"
    venv.mkdir(parents=True)
    (venv / "python").write_text('#!/bin/sh\n[ "$1" = -V ] && echo Python 3.11.7 && exit 0\nexit 1\n')
    (venv / "python").chmod(0o755)
    key = subprocess.run(
        "{ cat pyproject.toml tools/setup.sh; .venv/bin/python -V; pwd; } | cksum",
        shell=True, cwd=project, env=env, capture_output=True, text=True, check=True,
    )  # fmt: skip
    (project / ".venv/.ready").write_text(key.stdout)
    told = set_up(project, env)
    assert (told.returncode, told.stderr) == (0, "")


@needs_sh
@pytest.mark.parametrize("offered", [True, False])
def test_without_a_chromium_of_the_system_playwrights_is_taken_or_a_plain_sentence_said(tmp_path, offered):
    """The package installer is played; what setup makes of its success or failure is real."""
    project, env = fresh_machine(tmp_path)
    (tmp_path / "bin/chromium").unlink()
    python = project / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(
        f"""#!/bin/sh
        case "$*" in
            -V) echo Python 3.11.7 ;;
            *"install "*playwright) {"true" if offered else "exit 1"}
                printf '#!/bin/sh\\nd=$PLAYWRIGHT_BROWSERS_PATH/chromium-9/chrome-linux; [ $1 = install ] || exit 0\\n' >.venv/bin/playwright
                printf 'mkdir -p $d; printf "#!/bin/sh" >$d/chrome; chmod 755 $d/chrome\\n' >>.venv/bin/playwright
                chmod 755 .venv/bin/playwright ;;
        esac
        """
    )
    python.chmod(0o755)
    told = set_up(project, env)
    assert told.returncode == 0, told.stderr
    link = project / ".venv/bin/chromium"
    assert link.exists() is offered
    assert ("sudo apt-get install chromium" in told.stderr) is not offered
    if offered:
        assert link.resolve() == project / ".venv/browsers/chromium-9/chrome-linux/chrome"


@needs_sh
def test_the_ci_script_runs_the_readmes_test_command():
    assert "exec make test" in (ROOT / ".ci/run").read_text("utf-8")
    assert os.access(ROOT / ".ci/run", os.X_OK)


def test_no_name_of_a_developers_machine_is_in_the_tree():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    files = [ROOT / name.decode() for name in listed.split(b"\0") if name]
    mark = re.compile(rb"/(?:work|farm|root)/[a-z]|/home/[a-z]")
    text = (f for f in files if f.is_file() and f.suffix in {".py", ".md", ".toml", ".yml", ".yaml", ".ipynb", ".sh"})
    assert [str(f) for f in text if mark.search(f.read_bytes()) and f != Path(__file__)] == []

"""Without any extra one can read, compare and publish; only measuring asks for more."""

import subprocess
import sys

CODE = """
import sys
sys.modules.update(dict.fromkeys("cv2 onnxruntime pandas pyarrow matplotlib openvino".split()))
from cuakit.bench import lab, leaderboard, export
from cuakit.core.errors import MissingExtra
lab.compare_profiles, lab.read_profile, lab.profile_text
try:
    lab.profile
except MissingExtra as told:
    print(told)
from cuakit.cli import main
sys.exit(main(["profile", "--only", "isa"]))
"""


def test_a_bare_installation_reads_and_says_what_measuring_needs():
    told = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=False)
    assert "cuakit[vision]" in told.stdout
    assert told.returncode == 2, told.stderr
    assert "missing_extra" in told.stderr
    assert "Traceback" not in told.stderr


def test_the_lab_has_no_other_names():
    from cuakit.bench import lab

    assert callable(lab.profile)
    assert not hasattr(lab, "anything")

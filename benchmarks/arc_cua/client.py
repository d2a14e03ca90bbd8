"""Drives arc-cua, as it comes from its wheel, through its own Chrome backend and its own policy.

Runs under Python 3.12 with ``arc-cua`` installed and nothing of cuakit. The first line that it prints tells the DevTools
port of its Chrome; then each JSON subtask read from standard input is worked on in the tab as it is, and answered with
one JSON line. The end of the input ends it.
"""

import json
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from arc_cua import DesktopExecutor, Subtask
from arc_cua.backends.chrome import ChromeBackend
from arc_cua.policies import TypeSafeJevPolicy


def main(server: str, token: str, chrome: str) -> None:
    with TemporaryDirectory(prefix="arc-cua-") as profile:
        # --no-sandbox: Chromium starts as root in no other way
        backend = ChromeBackend.launch(
            headless=True, executable=chrome, user_data_dir=profile, extra_args=("--no-sandbox",)
        )
        with backend:
            port = (Path(profile) / "DevToolsActivePort").read_text().split()[0]
            print(json.dumps({"port": int(port)}), flush=True)
            policy = TypeSafeJevPolicy(api_key=token, base_url=f"{server}/v1/systemone")
            for line in sys.stdin:
                asked = json.loads(line)
                asked["verification"] = tuple(asked["verification"])
                begun = time.monotonic()
                try:
                    result = DesktopExecutor(backend, policy).run(Subtask(**asked))
                    told = {"status": str(getattr(result.status, "value", result.status)), "reason": result.reason}
                    told["actions"] = len(result.history)
                except Exception as wrong:  # noqa: BLE001 - whatever another's library raises is its result, and is told
                    told = {"status": "ERROR", "reason": f"{type(wrong).__name__}: {wrong}", "actions": 0}
                print(json.dumps(told | {"seconds": round(time.monotonic() - begun, 3)}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:4])

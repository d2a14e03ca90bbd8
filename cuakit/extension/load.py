"""Workers by extension, shared: a network runs once per process, however many stages use it.

Each call looks at what is installed now. When that changed since the last one, it is checked anew and a new worker is
started; a running request ends with the old one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from cuakit.core.regions import Model
from cuakit.extension import store
from cuakit.extension.client import Runtime, Worker
from cuakit.extension.store import Installed


@dataclass(frozen=True, kw_only=True)
class Running:
    """An installed extension and its worker."""

    installed: Installed
    worker: Worker

    def model(self) -> Model:
        """What a record needs to say about it; starts the worker when it does not run."""
        info, release = self.worker.info(), self.installed.release
        return Model(
            id=release.model.id,
            sha256=release.network.sha256,
            runtime=info.runtime,
            precision=info.precision,
            threads=self.worker.threads,
        )

    def notes(self) -> tuple[str, ...]:
        """What a person should know: how far it can be trusted, and what it could not give up."""
        info = self.worker.info()
        weak = () if "seccomp" in info.sandbox else ("this system's kernel does not keep the worker from the network",)
        return (self.installed.sentence(), *weak, *filter(None, (info.note,)))


def load(
    id: str, *, runtime: Runtime = "onnxruntime", threads: int = 1, memory_mb: int = 6144, home: Path | None = None
) -> Running:
    """An extension, ready to be asked.

    Args:
        id: Of the extension.
        runtime: See :class:`~cuakit.extension.client.Worker`.
        threads: Threads of one call.
        memory_mb: Most address space of the worker, in MiB.
        home: Home of the extensions.

    Raises:
        ExtensionError: It is not installed, or not what was installed; the code says which.
        MissingExtra: It is signed, and the extra ``extension`` is not installed.
    """
    root = home or store.home()
    return _checked(id, store.stamp(id, at=root), runtime, threads, memory_mb, root)


@lru_cache(maxsize=4)
def _checked(id: str, _stamp: str, runtime: Runtime, threads: int, memory_mb: int, root: Path) -> Running:
    found = store.installed(id, at=root)
    file = found.release.network
    worker = Worker(
        model=found.folder / file.path,
        size=file.size,
        sha256=file.sha256,
        runtime=runtime,
        threads=threads,
        memory_mb=memory_mb,
    )
    for other in found.release.files:  # the network itself is compared by the worker, in the bytes that it loads
        if other.path != file.path:
            found.check_file(other)
    return Running(installed=found, worker=worker)

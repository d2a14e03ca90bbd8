"""``cuakit train``: make the networks that ship in the wheel again, from screens with truth."""

from __future__ import annotations

import sys
from pathlib import Path

from cyclopts import App

from cuakit.cli.options import Flag

app = App(name="train", help="Train the networks that ship in the wheel; needs the extra train.")


@app.command
def detector(
    *screens: Path,
    out: Path,
    steps: int = 3600,
    seed: int = 0,
    threads: int = 2,
    compiled: Flag = False,
    export: Path | None = None,
) -> None:
    """Train the detector of controls on folders of screens, or go on where an earlier run ended.

    Only screens of the training split are used. Build some first: python datasets/synthetic/build.py, desktop.py beside
    it, and datasets/screens/build.py. A folder named twice counts twice.

    Args:
        screens: Folders with annotations.jsonl.
        out: Folder for the checkpoint, the log and the recipe.
        steps: Batches of eight crops.
        seed: Of weights and crops.
        threads: Threads of one step.
        compiled: Let torch compile the network; a quarter faster, needs a C++ compiler.
        export: ONNX file to write at the end.
    """
    from cuakit.core.errors import MissingExtra, UsageError
    from cuakit.data.annotations import load_screens
    from cuakit.models.wheel import cache_dir
    from cuakit.train.detector.frames import load_frames

    if not screens:
        raise UsageError("no folder of screens was named", hint="build one: python datasets/synthetic/build.py")
    try:
        from cuakit.train.detector.export import export as write
        from cuakit.train.detector.fit import Recipe, fit
    except ModuleNotFoundError as lost:
        raise MissingExtra(f"{lost.name} is not installed", hint="pip install 'cuakit[train]'") from lost
    unpacked = cache_dir().parent / "unpacked"
    frames = [f for folder in screens for f in load_frames(load_screens(folder, split="train"), unpacked)]
    if not frames:
        raise UsageError("the folders hold no screen of the training split")
    print(f"{len(frames)} screens", file=sys.stderr)
    recipe = Recipe(seed=seed, steps=steps, threads=threads)
    weighted = [(f, 1.0) for f in frames]
    made = fit(lambda: weighted, recipe, out, compiled=compiled, say=lambda line: print(line, file=sys.stderr))
    print(write(made, export) if export else made)

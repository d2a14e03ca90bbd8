# The public API: every name here and no other. `dir(cuakit)` is read from this file, and tests compare the two.
from . import bench as bench, data as data, viz as viz
from .act.broker import CaptureBroker as CaptureBroker
from .act.dry_run import DryRun as DryRun
from .act.effects import judge as judge
from .act.executor import LeasedActor as LeasedActor
from .agent import Agent as Agent
from .backends.cdp import Browser as Browser
from .backends.page import Page as Page
from .bench.machine import machine_card as machine_card
from .capture.image import load_image as load_image
from .capture.screen import Screen as Screen
from .core import errors as errors
from .core.action import (
    Action as Action,
    Click as Click,
    DoubleClick as DoubleClick,
    Drag as Drag,
    Hotkey as Hotkey,
    PressKey as PressKey,
    RightClick as RightClick,
    Scroll as Scroll,
    SetValue as SetValue,
    TypeText as TypeText,
    Wait as Wait,
)
from .core.candidate import Candidate as Candidate, Candidates as Candidates
from .core.decision import Answer as Answer, Decision as Decision, Question as Question
from .core.geometry import Affine as Affine, Box as Box, Point as Point
from .core.lease import Capture as Capture, Target as Target
from .core.observation import Observation as Observation
from .core.outcome import Evidence as Evidence, Receipt as Receipt, Settled as Settled, Verdict as Verdict
from .core.regions import Region as Region, VisualRegions as VisualRegions
from .core.registry import Spec as Spec, build as build, spec as spec, stages as stages
from .core.screenshot import Screenshot as Screenshot
from .core.stages import (
    Actor as Actor,
    Decider as Decider,
    Perceiver as Perceiver,
    Settler as Settler,
    Source as Source,
    Surface as Surface,
    Verifier as Verifier,
)
from .core.subtask import Subtask as Subtask
from .core.trajectory import Step as Step, Trajectory as Trajectory, Trial as Trial
from .decide.human import Human as Human
from .decide.replay import Replay as Replay
from .envs.base import Environment as Environment
from .envs.drawio import DrawIo as DrawIo
from .envs.miniwob import MiniWob as MiniWob
from .facade import decide as decide, observe as observe, parse_visual_regions as parse_visual_regions
from .loop import run_subtask as run_subtask
from .suites.loader import load_suite as load_suite
from .viz.chooser import Chooser as Chooser
from .viz.tuner import Tuner as Tuner

__version__: str

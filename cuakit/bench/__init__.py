"""Repeating the sentence and counting: plans, workers, statistics, reports."""

from cuakit.bench.agents import agent_names, load_agents
from cuakit.bench.compare import Comparison, compare, compare_all
from cuakit.bench.launch import latest, run
from cuakit.bench.report import write_report
from cuakit.bench.results import Run, TrialView
from cuakit.bench.runner import Limits
from cuakit.bench.stats import Rate, wilson

__all__ = [
    "Comparison",
    "Limits",
    "Rate",
    "Run",
    "TrialView",
    "agent_names",
    "compare",
    "compare_all",
    "latest",
    "load_agents",
    "run",
    "wilson",
    "write_report",
]

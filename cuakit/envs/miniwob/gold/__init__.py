"""Scripted oracles: one gold path per family, through candidates and leases only.

A script sees what a DOM-mode agent sees (roles, names, values, states, pixels, history) and returns the next action.
It never runs script in the page and never reads the reward. What it knows is how the family works.
"""

from cuakit.envs.miniwob.gold.table import SCRIPTS, policy

__all__ = ["SCRIPTS", "policy"]

"""The latency lab: where the time goes on this machine, what instruction sets are worth, and how far from its limits it runs.

Everything is told with n and an interval, beside a yardstick that says how noisy the machine was meanwhile.
"""

from cuakit.bench.lab.diff import compare_profiles
from cuakit.bench.lab.measure import PARTS, profile, read_profile
from cuakit.bench.lab.samples import Estimate, median_interval
from cuakit.bench.lab.tables import profile_text

__all__ = ["PARTS", "Estimate", "compare_profiles", "median_interval", "profile", "profile_text", "read_profile"]

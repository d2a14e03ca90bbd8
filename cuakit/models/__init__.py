"""Weights and runtimes: what cuakit may load, that the bytes are right, and how they are run on a CPU."""

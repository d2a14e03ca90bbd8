"""How is the next action chosen? One file per way: lexical, random, scripted, no-op.

A decider is a callable ``(Subtask, Observation, History) -> Decision``. It names candidates by id and never sees a
coordinate; literal text comes from ``Subtask.inputs`` only.
"""

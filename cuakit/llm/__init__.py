"""Wire protocols of decision models: values in, JSON out, nothing decided here.

Each transport has ``name``, ``one_request`` and ``ask(state, questions)``; see :mod:`cuakit.decide.transport`. Keys come
from the caller or the environment and are never written anywhere.
"""

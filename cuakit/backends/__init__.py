"""Thin transports to the outside world. No policy: they do what they are told and report what happened."""

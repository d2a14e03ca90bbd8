"""Thin transports to the outside world. They carry messages and pixels and hold no policy."""

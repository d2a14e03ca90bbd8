"""Servers: loopback only, behind a token, and nothing in them that Python cannot do too."""

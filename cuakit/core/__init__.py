"""The words of the toolkit: values, pure functions and protocols.

Knows nothing about screens, browsers, models or files beyond numpy, Pillow and the standard library.
"""

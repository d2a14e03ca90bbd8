"""Pictures to keep: overlays and film strips as files.

Knows nothing about running agents; everything is drawn from values.
"""

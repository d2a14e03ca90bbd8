"""Acting: the lease is checked, the point computed, the pixels looked at again, and only then is input injected."""

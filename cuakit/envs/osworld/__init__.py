"""OSWorld's published tasks on this machine."""

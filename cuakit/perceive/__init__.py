"""Finding objects on a screen. Each module is one way of looking; ``fuse`` makes one list of them."""

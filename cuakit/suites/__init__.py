"""Which tasks make a suite, and how an environment for them is opened."""

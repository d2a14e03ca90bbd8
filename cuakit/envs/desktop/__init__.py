"""Desktop tasks: their files, what they may ask for, and how what an agent left behind is judged."""

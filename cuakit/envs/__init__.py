"""Live applications that set tasks and judge the outcome themselves."""

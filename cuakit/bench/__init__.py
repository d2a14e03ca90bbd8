"""Repeating the sentence and counting: plans, workers, statistics, reports."""

"""The report: the main job end to end, on one page."""

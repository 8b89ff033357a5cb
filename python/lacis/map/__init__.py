"""The fabric as a drawing, and what a page looks up about it."""

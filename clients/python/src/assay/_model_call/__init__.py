"""Observes model calls of other libraries, by their shape; none of them is imported."""

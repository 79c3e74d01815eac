"""Observes model calls of other libraries by their shape, without importing them."""

"""
Handlers for frameworks that make model calls. Import the module of a framework by its name; each needs that
framework, and nothing else does.
"""

"""
Handlers for frameworks that make model calls. Import a framework's module by its name. Each one needs only
its own framework.
"""

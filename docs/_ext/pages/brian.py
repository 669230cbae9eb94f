"""Run each example of the gallery with Brian2's defaults, as in a process of its own."""

from brian2 import defaultclock, ms, prefs


def reset(gallery_conf, name):
    """Restore Brian2's preferences and time step; sphinx-gallery calls it before each example."""
    prefs.reset_to_defaults()
    defaultclock.dt = 0.1 * ms

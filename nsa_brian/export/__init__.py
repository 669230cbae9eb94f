"""A model as a plain Brian2 script of one file: :func:`nsa_brian.export.script.to_script`."""

"""The search for parameters by evolution. Not built yet: this version ships the authors' own evolved sets."""

"""The study of ``nsa fit``: models of behaviour and NSA, fitted to choices and rewards of subjects."""

"""Beliefs of ``oracle-bayes`` about the arms of the paper's bandits: filters of known dynamics."""

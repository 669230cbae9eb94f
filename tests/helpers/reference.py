"""The paper's equations as a plain numpy loop, written by hand: what the engines are held against."""

import numpy as np


def sigmoid_response(x, gain, offset, threshold):
    s = 1 / (1 + np.exp(-gain * (x - offset)))
    return np.where(s > threshold, s, 0.0)


def gaussian_sigmoid(w, beta, alpha, mu, sigma, r):
    return r / (1 + np.exp(-beta * (w - alpha))) + (1 - r) * np.exp(-((w - mu) ** 2) / (2 * sigma**2))


def round_by_euler(w, p, dt=1.0):
    """The activities at the end of a round for weights w: simultaneous Euler steps of dt ms."""
    u, v = np.zeros_like(w), np.zeros_like(w)
    value = gaussian_sigmoid(w, p.beta_v, p.alpha_v, p.mu_v, p.sigma_v, p.r_v)
    n_input, n_free = round(p.duration_input / dt), round(p.duration_free / dt)
    for step in range(n_input + n_free):
        current = p.I_ext if step < n_input else 0.0
        phi_u = sigmoid_response(u, p.gain_u, p.offset_u, p.threshold_u)
        phi_v = sigmoid_response(v, p.gain_v, p.offset_v, p.threshold_v)
        u, v = u + dt * (-u + phi_v + current) / p.tau_u, v + dt * (-v + value * phi_u) / p.tau_v
    return u, v


def learned(w, reward, p):
    """The weight after a reward, eq. (3)."""
    eta = gaussian_sigmoid(w, p.beta_eta, p.alpha_eta, p.mu_eta, p.sigma_eta, p.r_eta)
    return w + eta * (reward * p.w_max - w)


def argmax_with_ties(x, luck, tolerance=1e-6):
    tied = [k for k in range(len(x)) if x[k] >= max(x) - tolerance]
    return tied[int(luck * len(tied))]


def agreement(u, v, luck):
    """The arm by the agreement rule; luck is three uniform numbers."""
    k_u, k_v = argmax_with_ties(u, luck[0]), argmax_with_ties(v, luck[1])
    return k_v if k_u == k_v else int(luck[2] * len(u))

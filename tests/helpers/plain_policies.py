"""The policies once more, each as the plainest loop over one game: nothing shared with ``baselines`` but the formulas.

Each is a generator: it yields an arm and is sent its reward. Random numbers are drawn as the policies draw them.
"""

# ruff: noqa: B023 (each lambda is called where it is written)
from math import e, exp, floor, inf, log, sqrt


def first_best(values):
    return values.index(max(values))


def explore(rng, K, epsilon, arm):
    where, whether = rng.random(2)
    return int(where * K) if whether < epsilon else arm


def greedy(rng, K, epsilon, values, ties):
    if ties == "first":
        return explore(rng, K, epsilon, first_best(values))
    where, whether, which = rng.random(3)
    best = [k for k in range(K) if values[k] == max(values)]
    return int(where * K) if whether < epsilon else best[int(which * len(best))]


def random_order(rng, K):
    luck = rng.random(K)
    return sorted(range(K), key=lambda k: luck[k])


def highest_index(order, n, index):
    """An arm that was never pulled, the first in ``order``, else the highest index."""
    for arm in order:
        if n[arm] == 0:
            return arm
    return first_best([index(k) for k in range(len(n))])


class Means:
    """Pulls and means, averaged reward by reward, as the policies of the public code do."""

    def __init__(self, K):
        self.n, self.mean = [0] * K, [0.0] * K

    def add(self, arm, reward):
        self.n[arm] += 1
        self.mean[arm] += (reward - self.mean[arm]) / self.n[arm]


class Histories:
    """All rewards of each arm since it was last forgotten."""

    def __init__(self, K):
        self.rewards = [[] for _ in range(K)]

    def __getitem__(self, arm):
        return self.rewards[arm]

    def add(self, arm, reward):
        self.rewards[arm].append(reward)

    def forget(self, arm):
        self.rewards[arm] = []

    def mean(self, arm):
        return sum(self[arm]) / len(self[arm])

    @property
    def n(self):
        return [len(rewards) for rewards in self.rewards]


def kl(p, q):
    def term(a, b):
        return 0 if a == 0 else inf if b == 0 else a * log(a / b)

    return term(p, q) + term(1 - p, 1 - q)


def kl_bound(mean, budget):
    """By bisection."""
    low, high = mean, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if kl(mean, middle) <= budget else (low, middle)
    return low


def random(rng, K):
    while True:
        yield int(rng.random() * K)


def thompson(rng, K):
    S, F = [0] * K, [0] * K
    while True:
        arm = first_best([rng.beta(1 + S[k], 1 + F[k]) for k in range(K)])
        reward = yield arm
        S[arm] += reward
        F[arm] += 1 - reward


def epsilon_greedy(rng, K, epsilon=0.1, ties="first"):
    known = Means(K)
    while True:
        arm = greedy(rng, K, epsilon, known.mean, ties)
        known.add(arm, (yield arm))


def ucb1(rng, K, exploration=2.0):
    order, known, t = random_order(rng, K), Means(K), 0
    while True:
        arm = highest_index(order, known.n, lambda k: known.mean[k] + sqrt(exploration * log(t) / known.n[k]))
        known.add(arm, (yield arm))
        t += 1


def d_ucb(rng, K, discount=0.995, exploration=0.6):
    order, N, S = random_order(rng, K), [0.0] * K, [0.0] * K
    while True:
        arm = highest_index(order, N, lambda k: S[k] / N[k] + 2 * sqrt(exploration * log(sum(N)) / N[k]))
        reward = yield arm
        N, S = [discount * x for x in N], [discount * x for x in S]
        N[arm] += 1
        S[arm] += reward


def sw_ucb(rng, K, window=250, exploration=0.6):
    order, past = random_order(rng, K), []
    while True:
        recent = past[-window:]
        rewards = [[reward for arm, reward in recent if arm == k] for k in range(K)]
        n = [len(r) for r in rewards]
        arm = highest_index(order, n, lambda k: sum(rewards[k]) / n[k] + sqrt(exploration * log(len(recent)) / n[k]))
        past.append((arm, (yield arm)))


def d_thompson(rng, K, discount=0.99):
    S, F = [0.0] * K, [0.0] * K
    while True:
        arm = first_best([rng.beta(1 + S[k], 1 + F[k]) for k in range(K)])
        reward = yield arm
        S, F = [discount * x for x in S], [discount * x for x in F]
        S[arm] += reward
        F[arm] += 1 - reward


def f_dsw_thompson(rng, K, f="min", discount=0.99, window=50):
    combine = {"min": min, "max": max, "mean": lambda a, b: (a + b) / 2}[f]
    S, F, hot = [0.0] * K, [0.0] * K, [[] for _ in range(K)]
    while True:
        historic = [rng.beta(1 + S[k], 1 + F[k]) for k in range(K)]
        recent = [rng.beta(1 + sum(hot[k]), 1 + len(hot[k]) - sum(hot[k])) for k in range(K)]
        arm = first_best([combine(historic[k], recent[k]) for k in range(K)])
        reward = yield arm
        S, F = [discount * x for x in S], [discount * x for x in F]
        S[arm] += reward
        F[arm] += 1 - reward
        hot[arm] = [*hot[arm], reward][-window:]


def constant_step(rng, K, epsilon=0.1, step=0.1, ties="random"):
    Q = [0.0] * K
    while True:
        arm = greedy(rng, K, epsilon, Q, ties)
        reward = yield arm
        Q[arm] += step * (reward - Q[arm])


def optimistic(rng, K, epsilon=0.0, step=0.1, start=1.0, ties="first"):
    Q = [start + 1e-9 * luck for luck in rng.random(K)]
    while True:
        arm = greedy(rng, K, epsilon, Q, ties)
        reward = yield arm
        Q[arm] += step * (reward - Q[arm])


def value_step(rng, K, epsilon=0.0, low=0.1, high=0.1, start=1.0, ties="random"):
    Q = [start] * K
    while True:
        arm = greedy(rng, K, epsilon, Q, ties)
        reward = yield arm
        Q[arm] += (low + (high - low) * min(max(Q[arm], 0), 1)) * (reward - Q[arm])


def any_of_the_best(values, luck):
    best = [k for k, value in enumerate(values) if value == max(values)]
    return best[int(luck * len(best))]


def aspiration(rng, K, step=0.1, drift=0.003, up=0.003, down=0.01, start=1.0):
    Q, a = [start] * K, start
    while True:
        arm = any_of_the_best(Q, rng.random())
        reward = yield arm
        a += (up if reward > a else down) * (reward - a)
        Q = [q + step * (reward - q) if k == arm else q + drift * (a - q) for k, q in enumerate(Q)]


def familiarity(rng, K, step=0.1, fall=0.5, recovery=0.003, up=0.003, down=0.01, start=1.0):
    Q, h, a = [0.0] * K, [1.0] * K, start
    while True:
        arm = any_of_the_best([Q[k] + h[k] * (a - Q[k]) for k in range(K)], rng.random())
        reward = yield arm
        a += (up if reward > a else down) * (reward - a)
        Q[arm] += (step + (1 - step) * h[arm]) * (reward - Q[arm])
        h = [(1 - fall) * h[k] if k == arm else h[k] + recovery * (1 - h[k]) for k in range(K)]


def vdbe(rng, K, sigma=0.33, step=0.1, ties="first"):
    Q, epsilon = [0.0] * K, 1.0
    while True:
        arm = greedy(rng, K, epsilon, Q, ties)
        reward = yield arm
        change = abs(step * (reward - Q[arm]))
        f = (1 - exp(-change / sigma)) / (1 + exp(-change / sigma))
        epsilon = f / K + (1 - 1 / K) * epsilon
        Q[arm] += step * (reward - Q[arm])


def by_chance(probabilities, luck):
    upto = 0.0
    for arm, p in enumerate(probabilities):
        upto += p
        if luck < upto:
            return arm
    return len(probabilities) - 1


def softmax(rng, K, temperature=0.1, step=0.1):
    Q = [0.0] * K
    while True:
        weights = [exp(q / temperature) for q in Q]
        arm = by_chance([w / sum(weights) for w in weights], rng.random())
        reward = yield arm
        Q[arm] += step * (reward - Q[arm])


def exp3s(rng, K, mixing=0.2, sharing=0.001):
    w = [1.0] * K
    while True:
        W = sum(w)
        p = [(1 - mixing) * w[k] / W + mixing / K for k in range(K)]
        arm = by_chance(p, rng.random())
        reward = yield arm
        gain = [exp(mixing / K * reward / p[k]) if k == arm else 1 for k in range(K)]
        w = [w[k] * gain[k] + e * sharing / K * W for k in range(K)]


def forced_exploration(rng, K, window=250, growth=1.2):
    order, past, r, seen = random_order(rng, K), [], 0, set()
    waited = [0] * K
    for place, arm in enumerate(order):
        waited[arm] = K - 1 - place
    while True:
        if max(waited) >= growth**r:
            arm = first_best(waited)
        else:
            rewards = [[reward for a, reward in past[-window:] if a == k] for k in range(K)]
            arm = first_best([sum(x) / len(x) if x else 0 for x in rewards])
        past.append((arm, (yield arm)))
        waited = [0 if k == arm else waited[k] + 1 for k in range(K)]
        seen.add(arm)
        if len(seen) == K:
            r, seen = r + 1, set()
        if len(past) % window == 0:
            r, seen = 0, set()


def kl_ucb(rng, K, exploration=1.0):
    order, past, t = random_order(rng, K), Histories(K), 0
    while True:
        arm = highest_index(order, past.n, lambda k: kl_bound(past.mean(k), exploration * log(t) / len(past[k])))
        past.add(arm, (yield arm))
        t += 1


def oracle_restart(rng, K, best_arm, exploration=1.0):
    order, past, t, best = random_order(rng, K), Histories(K), 0, best_arm()
    while True:
        if best_arm() != best:
            past, t, best = Histories(K), 0, best_arm()
        arm = highest_index(order, past.n, lambda k: kl_bound(past.mean(k), exploration * log(t) / len(past[k])))
        past.add(arm, (yield arm))
        t += 1


def best_arm(rng, K, best_arm):
    while True:
        yield best_arm()


def cusum_ucb(rng, K, threshold=8.0, epsilon=0.05, exploration=0.5, n_first=50, tolerance=0.05):
    order, past = random_order(rng, K), Histories(K)
    while True:
        n = sum(past.n)
        arm = highest_index(order, past.n, lambda k: past.mean(k) + sqrt(exploration * log(n) / len(past[k])))
        arm = explore(rng, K, epsilon, arm)
        past.add(arm, (yield arm))
        first, later = past[arm][:n_first], past[arm][n_first:]
        m, rise, fall = sum(first) / len(first), 0, 0
        for y in later:
            rise, fall = max(0, rise + y - m - tolerance), max(0, fall + m - y - tolerance)
        if max(rise, fall) >= threshold:
            past.forget(arm)


def m_ucb(rng, K, window=200, epsilon=0.05, exploration=2.0, delta=0.05):
    order, past, t, half = random_order(rng, K), Histories(K), 0, window // 2
    b = sqrt(half * log(2 * K / delta))
    while True:
        turn = t % floor(K / epsilon)
        if turn < K:
            arm = order[turn]
        else:
            arm = highest_index(order, past.n, lambda k: past.mean(k) + sqrt(exploration * log(t) / len(past[k])))
        past.add(arm, (yield arm))
        t += 1
        last = past[arm][-2 * half :]
        if len(last) == 2 * half and abs(sum(last[half:]) - sum(last[:half])) > b:
            past, t = Histories(K), 0


def glr_klucb(rng, K, delta=0.01, epsilon=0.05, exploration=1.0, restart="global"):
    order, past, t, since = random_order(rng, K), Histories(K), 0, [0] * K

    def index(k):
        return kl_bound(past.mean(k), exploration * log(t - since[k]) / len(past[k]))

    while True:
        turn = (t - (since[0] if restart == "global" else 0)) % floor(K / epsilon)
        arm = order[turn] if turn < K else highest_index(order, past.n, index)
        past.add(arm, (yield arm))
        t += 1
        x, n = past[arm], len(past[arm])
        changed = False
        for s in range(10, n, 10) if n % 10 == 0 else ():
            m, m1, m2 = sum(x) / n, sum(x[:s]) / s, sum(x[s:]) / (n - s)
            changed |= s * kl(m1, m) + (n - s) * kl(m2, m) >= log(3 * n**1.5 / delta)
        for k in [] if not changed else [arm] if restart == "local" else range(K):
            past.forget(k)
            since[k] = t


def biased_random(rng, K, bias=0.5, favoured=0):
    while True:
        yield by_chance([bias if k == favoured else (1 - bias) / (K - 1) for k in range(K)], rng.random())


def win_stay_lose_shift(rng, K, lapse=0.1, win=0.5):
    p = [1 / K] * K
    while True:
        arm = by_chance(p, rng.random())
        won = (yield arm) >= win
        rule = [float(k == arm) if won else float(k != arm) / (K - 1) for k in range(K)]
        p = [lapse / K + (1 - lapse) * rule[k] for k in range(K)]


def by_softmax(preferences, luck):
    weights = [exp(x - max(preferences)) for x in preferences]
    return by_chance([w / sum(weights) for w in weights], luck)


def q_learning(rng, K, step=0.1, beta=5.0, q0=0.5):
    Q = [q0] * K
    while True:
        arm = by_softmax([beta * q for q in Q], rng.random())
        reward = yield arm
        Q[arm] += step * (reward - Q[arm])


def q_learning_2(rng, K, step_up=0.2, step_down=0.1, beta=5.0, q0=0.5):
    Q = [q0] * K
    while True:
        arm = by_softmax([beta * q for q in Q], rng.random())
        error = (yield arm) - Q[arm]
        Q[arm] += (step_up if error > 0 else step_down) * error


def q_forgetting(rng, K, step=0.1, forgetting=0.05, beta=5.0, q0=0.5):
    Q = [q0] * K
    while True:
        arm = by_softmax([beta * q for q in Q], rng.random())
        reward = yield arm
        Q = [q + step * (reward - q) if k == arm else q + forgetting * (q0 - q) for k, q in enumerate(Q)]


def choice_kernel(rng, K, kernel_step=0.1, kernel_beta=3.0):
    C = [0.0] * K
    while True:
        arm = by_softmax([kernel_beta * c for c in C], rng.random())
        yield arm
        C = [c + kernel_step * ((k == arm) - c) for k, c in enumerate(C)]


def q_kernel(rng, K, step=0.1, beta=5.0, q0=0.5, kernel_step=0.1, kernel_beta=3.0):
    Q, C = [q0] * K, [0.0] * K
    while True:
        arm = by_softmax([beta * Q[k] + kernel_beta * C[k] for k in range(K)], rng.random())
        reward = yield arm
        Q[arm] += step * (reward - Q[arm])
        C = [c + kernel_step * ((k == arm) - c) for k, c in enumerate(C)]


def kalman_softmax(rng, K, diffusion=0.1, decay=1.0, noise=0.5, prior_sd=0.5, beta=5.0, q0=0.5):
    Q, S = [q0] * K, [prior_sd**2] * K
    while True:
        arm = by_softmax([beta * q for q in Q], rng.random())
        reward = yield arm
        gain = S[arm] / (S[arm] + noise**2)
        Q[arm] += gain * (reward - Q[arm])
        S[arm] -= gain * S[arm]
        Q, S = [q0 + decay * (q - q0) for q in Q], [decay**2 * s + diffusion**2 for s in S]

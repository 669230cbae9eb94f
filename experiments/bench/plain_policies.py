"""The policies in plain Python, as one writes them for a single game: lists, ``math`` and ``random``.

They are compared with those of ``baselines`` in ``nsa bench``. Settings are the defaults of ``baselines``; random
numbers are others. Nothing is checked, and there is no batch of games.
"""

from __future__ import annotations

import math
import random
from collections import deque


class Random:
    """Uniform random choices."""

    def __init__(self, n_arms: int) -> None:
        self.n_arms = n_arms
        self.pulls, self.means = [0.0] * n_arms, [0.0] * n_arms
        self.start()

    def start(self) -> None:
        """Set what a subclass needs."""

    def select_arm(self) -> int:
        return int(random.random() * self.n_arms)

    def update(self, arm: int, reward: float) -> None:
        """Learn nothing."""


class EpsilonGreedy(Random):
    """The highest mean, or a random arm."""

    epsilon = 0.1

    def select_arm(self) -> int:
        if random.random() < self.epsilon:
            return int(random.random() * self.n_arms)
        return highest(self.means)

    def update(self, arm: int, reward: float) -> None:
        self.pulls[arm] += 1
        self.means[arm] += (reward - self.means[arm]) / self.pulls[arm]


class ConstantStep(EpsilonGreedy):
    """Values with a constant step."""

    def select_arm(self) -> int:
        if random.random() < self.epsilon:
            return int(random.random() * self.n_arms)
        most = max(self.means)
        return random.choice([k for k, mean in enumerate(self.means) if mean == most])

    def update(self, arm: int, reward: float) -> None:
        self.means[arm] += 0.1 * (reward - self.means[arm])


class Optimistic(ConstantStep):
    """Values that are 1 at first; greedy."""

    def start(self) -> None:
        self.means = [1 + 1e-9 * random.random() for _ in range(self.n_arms)]

    def select_arm(self) -> int:
        return highest(self.means)


class ValueStep(ConstantStep):
    """Values that are 1 at first; their step is linear in them."""

    epsilon = 0.0
    low, high = 0.1, 0.1

    def start(self) -> None:
        self.means = [1.0] * self.n_arms

    def update(self, arm: int, reward: float) -> None:
        value = self.means[arm]
        step = self.low + (self.high - self.low) * min(max(value, 0.0), 1.0)
        self.means[arm] = value + step * (reward - value)


class Aspiration(ConstantStep):
    """Values of the other arms drift to the aspiration."""

    epsilon = 0.0

    def start(self) -> None:
        self.means, self.aspiration = [1.0] * self.n_arms, 1.0

    def follow(self, reward: float) -> None:
        """Move the aspiration."""
        self.aspiration += (0.003 if reward > self.aspiration else 0.01) * (reward - self.aspiration)

    def update(self, arm: int, reward: float) -> None:
        self.follow(reward)
        learned = self.means[arm] + 0.1 * (reward - self.means[arm])
        self.means = [mean + 0.003 * (self.aspiration - mean) for mean in self.means]
        self.means[arm] = learned


class Familiarity(Aspiration):
    """Unfamiliar arms are worth the aspiration; ``means`` has the index."""

    def start(self) -> None:
        super().start()
        self.values, self.novelty = [0.0] * self.n_arms, [1.0] * self.n_arms

    def update(self, arm: int, reward: float) -> None:
        self.follow(reward)
        novelty = self.novelty[arm]
        self.values[arm] += (0.1 + 0.9 * novelty) * (reward - self.values[arm])
        self.novelty = [h + 0.003 * (1 - h) for h in self.novelty]
        self.novelty[arm] = 0.5 * novelty
        a = self.aspiration
        self.means = [q + h * (a - q) for q, h in zip(self.values, self.novelty, strict=True)]


class VDBE(ConstantStep):
    """Epsilon follows the changes of the values."""

    epsilon = 1.0
    select_arm = EpsilonGreedy.select_arm

    def update(self, arm: int, reward: float) -> None:
        shrunk = math.exp(-abs(0.1 * (reward - self.means[arm])) / 0.33)
        self.epsilon += ((1 - shrunk) / (1 + shrunk) - self.epsilon) / self.n_arms
        super().update(arm, reward)


class Softmax(ConstantStep):
    """Arms in proportion to exponentials of their values."""

    def select_arm(self) -> int:
        most = max(self.means)
        return draw([math.exp((mean - most) / 0.1) for mean in self.means])


class Exp3S(Random):
    """Exponential weights with sharing."""

    def start(self) -> None:
        self.weights = [1 / self.n_arms] * self.n_arms

    def select_arm(self) -> int:
        return draw([0.8 * weight + 0.2 / self.n_arms for weight in self.weights])

    def update(self, arm: int, reward: float) -> None:
        p = 0.8 * self.weights[arm] + 0.2 / self.n_arms
        self.weights[arm] *= math.exp(0.2 * reward / (p * self.n_arms))
        share = math.e * 0.001 / self.n_arms
        total = sum(self.weights) + share * self.n_arms
        self.weights = [(weight + share) / total for weight in self.weights]


class Thompson(Random):
    """The highest sample of Beta(1 + S, 1 + F)."""

    def start(self) -> None:
        self.successes, self.failures = [1.0] * self.n_arms, [1.0] * self.n_arms

    def samples(self) -> list[float]:
        return [random.betavariate(a, b) for a, b in zip(self.successes, self.failures, strict=True)]

    def select_arm(self) -> int:
        return highest(self.samples())

    def update(self, arm: int, reward: float) -> None:
        self.successes[arm] += reward
        self.failures[arm] += 1 - reward


class DiscountedThompson(Thompson):
    """Thompson with discounted counts."""

    def update(self, arm: int, reward: float) -> None:
        self.successes = [1 + 0.99 * (a - 1) for a in self.successes]
        self.failures = [1 + 0.99 * (b - 1) for b in self.failures]
        super().update(arm, reward)


class FDSWThompson(DiscountedThompson):
    """The smaller of a discounted sample and one of the last rewards."""

    def start(self) -> None:
        super().start()
        self.recent: list[deque[float]] = [deque(maxlen=50) for _ in range(self.n_arms)]
        self.sums = [0.0] * self.n_arms

    def samples(self) -> list[float]:
        hot = [random.betavariate(1 + s, 1 + len(recent) - s) for s, recent in zip(self.sums, self.recent, strict=True)]
        return [min(pair) for pair in zip(super().samples(), hot, strict=True)]

    def update(self, arm: int, reward: float) -> None:
        super().update(arm, reward)
        recent = self.recent[arm]
        self.sums[arm] += reward - (recent[0] if len(recent) == 50 else 0)
        recent.append(reward)


class UCB1(EpsilonGreedy):
    """The highest mean + sqrt(2 ln t / n)."""

    exploration, time = 2.0, 0

    def budget(self) -> float:
        return self.exploration * math.log(self.time)

    def select_arm(self) -> int:
        for arm, pulls in enumerate(self.pulls):
            if pulls == 0:
                return arm
        return self.best(self.budget())

    def best(self, budget: float) -> int:
        return highest([mean + math.sqrt(budget / n) for mean, n in zip(self.means, self.pulls, strict=True)])

    def update(self, arm: int, reward: float) -> None:
        super().update(arm, reward)
        self.time += 1

    def reset(self) -> None:
        self.pulls, self.means, self.time = [0.0] * self.n_arms, [0.0] * self.n_arms, 0


class DiscountedUCB(UCB1):
    """UCB with discounted counts."""

    exploration, total = 2.4, 0.0

    def budget(self) -> float:
        return self.exploration * math.log(max(self.total, 1))

    def update(self, arm: int, reward: float) -> None:
        self.pulls = [0.995 * pulls for pulls in self.pulls]
        self.total = 0.995 * self.total + 1
        super().update(arm, reward)


class SlidingWindowUCB(UCB1):
    """UCB of the last 250 rounds."""

    exploration, window = 0.6, 250

    def start(self) -> None:
        self.recent: deque[tuple[int, float]] = deque()
        self.sums = [0.0] * self.n_arms

    def budget(self) -> float:
        return self.exploration * math.log(min(self.time, self.window))

    def update(self, arm: int, reward: float) -> None:
        self.recent.append((arm, reward))
        self.count(arm, reward, 1)
        if len(self.recent) > self.window:
            self.count(*self.recent.popleft(), -1)
        self.time += 1

    def count(self, arm: int, reward: float, sign: int) -> None:
        self.pulls[arm] += sign
        self.sums[arm] += sign * reward
        self.means[arm] = self.sums[arm] / max(self.pulls[arm], 1)


class ForcedExploration(SlidingWindowUCB):
    """Greedy, unless an arm has waited too long."""

    def start(self) -> None:
        super().start()
        self.last, self.since, self.patience = list(range(-self.n_arms, 0)), 0, 1.0

    def select_arm(self) -> int:
        earliest = min(self.last)
        if self.time - 1 - earliest >= self.patience:
            return self.last.index(earliest)
        return highest(self.means)

    def update(self, arm: int, reward: float) -> None:
        self.last[arm] = self.time
        super().update(arm, reward)
        if self.time % self.window == 0:
            self.patience, self.since = 1.0, self.time
        elif min(self.last) >= self.since:
            self.patience, self.since = self.patience * 1.2, self.time


class KLUCB(UCB1):
    """The highest q with n kl(mean, q) <= ln t, by bisection to six digits."""

    exploration = 1.0

    def best(self, budget: float) -> int:
        return highest([kl_bound(mean, budget / n) for mean, n in zip(self.means, self.pulls, strict=True)])


class GLRKLUCB(KLUCB):
    """kl-UCB that restarts by a likelihood ratio test at every tenth pull."""

    def start(self) -> None:
        self.sums: list[list[float]] = [[0.0] for _ in range(self.n_arms)]

    def select_arm(self) -> int:
        turn = self.time % (self.n_arms * 20)
        return turn if turn < self.n_arms else super().select_arm()

    def update(self, arm: int, reward: float) -> None:
        super().update(arm, reward)
        sums = self.sums[arm]
        sums.append(sums[-1] + reward)
        n = len(sums) - 1
        if n % 10 == 0:
            threshold = math.log(3 * n**1.5 / 0.01)
            mean = sums[n] / n
            for s in range(10, n, 10):
                after = (sums[n] - sums[s]) / (n - s)
                if s * kl(sums[s] / s, mean) + (n - s) * kl(after, mean) >= threshold:
                    self.start()
                    self.reset()
                    break


class CusumUCB(UCB1):
    """UCB that resets an arm by a CUSUM test."""

    exploration = 0.5

    def start(self) -> None:
        self.first, self.rise, self.fall = ([0.0] * self.n_arms for _ in range(3))

    def budget(self) -> float:
        return self.exploration * math.log(sum(self.pulls))

    def select_arm(self) -> int:
        return int(random.random() * self.n_arms) if random.random() < 0.05 else super().select_arm()

    def update(self, arm: int, reward: float) -> None:
        super().update(arm, reward)
        if self.pulls[arm] <= 50:
            self.first[arm], self.rise[arm], self.fall[arm] = self.means[arm], 0.0, 0.0
            return
        gap = reward - self.first[arm]
        self.rise[arm] = max(self.rise[arm] + gap - 0.05, 0)
        self.fall[arm] = max(self.fall[arm] - gap - 0.05, 0)
        if max(self.rise[arm], self.fall[arm]) >= 8:
            self.pulls[arm] = self.means[arm] = 0.0


class MonitoredUCB(UCB1):
    """UCB that restarts when the halves of an arm's window differ."""

    half = 100

    def start(self) -> None:
        self.recent: list[deque[float]] = [deque([0.0] * 200, maxlen=200) for _ in range(self.n_arms)]
        self.difference, self.threshold = [0.0] * self.n_arms, math.sqrt(100 * math.log(40 * self.n_arms))

    def select_arm(self) -> int:
        turn = self.time % (self.n_arms * 20)
        return turn if turn < self.n_arms else super().select_arm()

    def update(self, arm: int, reward: float) -> None:
        super().update(arm, reward)
        recent = self.recent[arm]
        self.difference[arm] += reward - 2 * recent[self.half] + recent[0]
        recent.append(reward)
        if self.pulls[arm] >= 200 and abs(self.difference[arm]) > self.threshold:
            self.start()
            self.reset()


def highest(values: list[float]) -> int:
    """Return the index of the highest value, the first of equals."""
    return values.index(max(values))


def draw(weights: list[float]) -> int:
    """Draw an index in proportion to the weights."""
    left = random.random() * sum(weights)
    for arm, weight in enumerate(weights):
        left -= weight
        if left < 0:
            return arm
    return len(weights) - 1


def kl(p: float, q: float) -> float:
    """Return the divergence of two Bernoulli distributions."""
    p, q = min(max(p, 1e-15), 1 - 1e-15), min(max(q, 1e-15), 1 - 1e-15)
    return p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))


def kl_bound(mean: float, budget: float) -> float:
    """Return the highest q with kl(mean, q) <= budget."""
    low, high = mean, min(1.0, mean + math.sqrt(budget / 2))
    while high - low > 1e-6:
        middle = (low + high) / 2
        if kl(mean, middle) > budget:
            high = middle
        else:
            low = middle
    return low


#: By the name in ``baselines.POLICIES``; without those that see the bandit.
PLAIN: dict[str, type[Random]] = {
    "thompson": Thompson,
    "epsilon-greedy": EpsilonGreedy,
    "ucb1": UCB1,
    "random": Random,
    "d-ucb": DiscountedUCB,
    "sw-ucb": SlidingWindowUCB,
    "d-thompson": DiscountedThompson,
    "f-dsw-thompson": FDSWThompson,
    "constant-step": ConstantStep,
    "optimistic": Optimistic,
    "value-step": ValueStep,
    "aspiration": Aspiration,
    "familiarity": Familiarity,
    "vdbe": VDBE,
    "softmax": Softmax,
    "exp3s": Exp3S,
    "forced-exploration": ForcedExploration,
    "kl-ucb": KLUCB,
    "cusum-ucb": CusumUCB,
    "m-ucb": MonitoredUCB,
    "glr-klucb": GLRKLUCB,
}

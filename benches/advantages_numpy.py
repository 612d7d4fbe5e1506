"""The sums of `benches/advantages.rs` in plain numpy: one million groups of 16 at once.

Run: python3 benches/advantages_numpy.py   (needs numpy; prints the best of five, in seconds)
"""

import time

import numpy as np

rng = np.random.default_rng(16)
reward = (rng.random((1_000_000, 16)) < 0.5).astype(np.float64)
# A random strict ranking of the passing ones: places 0.. by a random key, failing ones last.
key = np.where(reward > 0, rng.random(reward.shape), np.inf)
place = key.argsort(axis=1).argsort(axis=1)


def run(floor=0.5, eps=1e-6):
    mean = reward.mean(axis=1, keepdims=True)
    base = (reward - mean) / (reward.std(axis=1, ddof=1, keepdims=True) + eps)
    credit = (reward > 0) & (base > 0)
    m = credit.sum(axis=1, keepdims=True)
    weight = np.where(m > 1, 1 - (1 - floor) * place / np.maximum(m - 1, 1), 1.0)
    weighted = np.where(credit, weight * base, 0.0)
    before = np.where(credit, base, 0.0).sum(axis=1, keepdims=True)
    after = weighted.sum(axis=1, keepdims=True)
    scale = np.divide(before, after, out=np.ones_like(before), where=after > 0)
    return np.where(credit, weighted * scale, base)


times = []
for _ in range(5):
    start = time.perf_counter()
    run()
    times.append(time.perf_counter() - start)
print(f"numpy {np.__version__}: {min(times):.3f} s")

"""The generators of CUDA devices, of which there are none (mirrors `torch.cuda.random`)."""

from __future__ import annotations

from . import _nothing, _refuse, get_rng_state_all, set_rng_state_all

__all__ = [
    "get_rng_state",
    "get_rng_state_all",
    "initial_seed",
    "manual_seed",
    "manual_seed_all",
    "seed",
    "seed_all",
    "set_rng_state",
    "set_rng_state_all",
]

get_rng_state = set_rng_state = initial_seed = _refuse
manual_seed = manual_seed_all = seed = seed_all = _nothing

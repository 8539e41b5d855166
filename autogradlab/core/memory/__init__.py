"""The memory under tensors: storages, and which writes overlap; and what freed arrays leave to the process."""

from __future__ import annotations

import sys

import numpy as np

# A step of training makes arrays of megabytes and frees them all. glibc's allocator would then hand their memory back,
# and the next step would wait until the system has given it again, page by page: a quarter of the time of a small
# convolutional network. How much it keeps instead follows from the largest array freed so far that was mapped by
# itself, up to one of 32 MB, heads included. This one is never touched, and gone at once.
if sys.platform == "linux":
    np.empty((32 << 20) - (64 << 10), np.uint8)

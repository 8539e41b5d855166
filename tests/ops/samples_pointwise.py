"""Samples: arithmetic and elementwise mathematics."""

from __future__ import annotations

from tests.ops.harness import ALL, COMPLEX, INTEGERS, REAL, A, case, samples

samples("exp", case(A(2, 3)))

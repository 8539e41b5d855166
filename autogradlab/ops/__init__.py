"""The op tables. Importing this package fills `opdef.OPS` and attaches every method to Tensor."""

# the order matters: operators come last, each table after those whose operations it uses
from . import elementwise, power, compare, bits, kinds, pairs, blend, rounding, complex, special, reduce, extremes, statistics, distances  # noqa: I001
from . import shape, products, matmul, memory, data, create, strided
from . import index, getitem, axes, split, join, inplace_views, take, scatter, masked, repeat, triangle, pad, copies
from . import blas, einsum, decompositions, solve, exponential, linalg_norms
from . import scans, sorting, order, unique, histogram
from . import nn_activation
from . import operators

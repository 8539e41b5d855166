"""The op tables. Importing this package fills `opdef.OPS` and attaches every method to Tensor."""

# the order matters: operators come last, each table after those whose operations it uses
from . import elementwise, power, compare, bits, kinds, pairs, blend, rounding, complex, special, reduce, extremes, statistics, distances  # noqa: F401, I001
from . import shape, products, memory, data, create, strided  # noqa: F401, I001
from . import index, getitem, axes, split, join, inplace_views, take, scatter, masked, repeat, triangle, pad, copies  # noqa: F401, I001
from . import blas, einsum, decompositions, solve, linalg_norms  # noqa: F401, I001
from . import scans, sorting, order, unique, histogram  # noqa: F401, I001
from . import operators  # noqa: F401

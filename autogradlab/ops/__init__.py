"""The op tables. Importing this package fills `opdef.OPS` and attaches every method to Tensor."""

from . import elementwise, power, compare, reduce, shape, products, memory, create, strided, index, join, operators  # noqa: F401, I001 (order matters)

"""Types that tensors are described by: dtypes, devices, layouts, sizes, dimensions, results with named fields."""

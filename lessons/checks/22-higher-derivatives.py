"""What judges the exercise of lesson 22: derivatives of any order."""


def derivative(derivative, torch):
    def cube(x):
        return x**3

    found = derivative(cube, 2.0, 0)
    yield "value", found is not None and abs(found - 8.0) < 1e-5, found, 8.0
    orders = [derivative(cube, 2.0, n) for n in (1, 2, 3)]
    yield (
        "orders",
        all(abs(a - b) < 1e-4 for a, b in zip(orders, (12.0, 12.0, 6.0), strict=True)),
        orders,
        [12.0, 12.0, 6.0],
    )
    found = derivative(lambda x: x * x, 3.0, 3)
    yield "constant", found == 0, found, 0.0
    yield "float", type(derivative(cube, 2.0, 1)) is float, derivative(cube, 2.0, 1)

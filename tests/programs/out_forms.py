"""What out= gets: every result, in exactly the dtype that an operation asks for,
and never memory that it still reads."""

import warnings

import torch

from tests.scenarios.show import caught


def attempt(name, f):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            r = f()
            print(name, type(r).__name__, [tuple(t.shape) for t in r] if isinstance(r, tuple) else r)
        except (RuntimeError, TypeError) as e:
            print(name, type(e).__name__, str(e).split("\n")[0])
    print("  warnings:", [str(w.message).split(",")[0][:60] for w in seen if "resized" in str(w.message)])


a = torch.tensor([[3.0, 1.0], [6.0, 4.0]])  # its LU factors are exact, on any processor
b = torch.ones(2, 1)


def outs(*shapes, dtype=torch.float32):
    return tuple(torch.zeros(s, dtype=dtype) for s in shapes)


# % out-several: several results, in their order and with their names
for name, f, shapes in (
    ("qr", torch.qr, ((2, 2), (2, 2))),
    ("svd", torch.svd, ((2, 2), (2,), (2, 2))),
    ("linalg.qr", torch.linalg.qr, ((2, 2), (2, 2))),
    ("linalg.lu", torch.linalg.lu, ((2, 2), (2, 2), (2, 2))),
    ("triangular_solve", lambda x, out: torch.triangular_solve(b, x, out=out), ((2, 1), (2, 2))),
):
    given = outs(*shapes)
    attempt(name, lambda f=f, given=given: f(a, out=given))
    print("  written:", all(bool(t.abs().sum()) for t in given))
    attempt(name, lambda f=f, shapes=shapes: f(a, out=outs(*shapes, dtype=torch.float64)))
given = (torch.zeros(2, 2), torch.zeros(2, dtype=torch.int32))
attempt("linalg.lu_factor", lambda: torch.linalg.lu_factor(a, out=given))
print(given)
p, low, up = outs((2, 2), (2, 2), (2, 2))
torch.linalg.lu(a, out=(p, low, up))
print(p, low, up, torch.equal(p @ low @ up, a))
attempt("wrong shape", lambda: torch.linalg.qr(a, out=outs((3, 2), (2, 2))))


# % out-dtypes: tensors of other dtypes
x = torch.arange(6.0)
bools = torch.tensor([True, False])
for kind in (torch.int64, torch.float64, torch.uint8, torch.complex64):
    attempt(f"cat {kind}", lambda kind=kind: torch.cat([x, x], out=torch.zeros(12, dtype=kind)))
    attempt(f"stack {kind}", lambda kind=kind: torch.stack([x, x], out=torch.zeros(2, 6, dtype=kind)))
    attempt(f"all {kind}", lambda kind=kind: torch.all(bools, out=torch.zeros((), dtype=kind)))
    attempt(f"amax {kind}", lambda kind=kind: torch.amax(x, 0, out=torch.zeros((), dtype=kind)))
    attempt(f"argmax {kind}", lambda kind=kind: torch.argmax(x, 0, out=torch.zeros((), dtype=kind)))
    attempt(f"det {kind}", lambda kind=kind: torch.linalg.det(a, out=torch.zeros((), dtype=kind)))
    attempt(f"fft {kind}", lambda kind=kind: torch.fft.fft(x, out=torch.zeros(6, dtype=kind)).dtype)
    attempt(f"irfft {kind}", lambda kind=kind: torch.fft.irfft(torch.fft.rfft(x), out=torch.zeros(6, dtype=kind)).dtype)

# % out-overlap: memory that an input lies in
base = torch.arange(7.0)
first, second = base[:6], base[1:]
index = torch.tensor([0, 1, 2, 3, 4, 5])
for name, f in (
    ("round", lambda o: torch.round(first, decimals=1, out=o)),
    ("nan_to_num", lambda o: torch.nan_to_num(first, out=o)),
    ("logit", lambda o: torch.logit(first, out=o)),
    ("div", lambda o: torch.div(first, 2, rounding_mode="floor", out=o)),
    ("scatter", lambda o: torch.scatter(first, 0, index, torch.ones(6), out=o)),
    ("index_add", lambda o: torch.index_add(first, 0, index, torch.ones(6), out=o)),
    ("index_select", lambda o: torch.index_select(first, 0, index, out=o)),
    ("logcumsumexp", lambda o: torch.logcumsumexp(first, 0, out=o)),
):
    attempt(f"{name} in part", lambda f=f: f(second))
    attempt(f"{name} in place", lambda f=f: list(f(first).shape))

# % out-recorded: who refuses out= tensors that require grad, and who copies into them
square = torch.eye(4)
for name, f, kind, shape in (
    ("fft", torch.fft.fft, torch.complex64, (4, 4)),
    ("ifft", torch.fft.ifft, torch.complex64, (4, 4)),
    ("fft2", torch.fft.fft2, torch.complex64, (4, 4)),
    ("irfft", torch.fft.irfft, torch.float32, (4, 6)),
    ("rfftn", torch.fft.rfftn, torch.complex64, (4, 3)),
    ("ihfft", torch.fft.ihfft, torch.complex64, (4, 3)),
    ("vecdot", lambda x, out: torch.linalg.vecdot(x, x, out=out), torch.float32, (4,)),
    ("norm", torch.linalg.norm, torch.float32, ()),
    ("tensorinv", lambda x, out: torch.linalg.tensorinv(x.view(2, 2, 2, 2), out=out), torch.float32, (2, 2, 2, 2)),
    ("tensorsolve", lambda x, out: torch.linalg.tensorsolve(x, torch.ones(4), out=out), torch.float32, (4,)),
    ("chebyshev", lambda x, out: torch.special.chebyshev_polynomial_t(x, 2, out=out), torch.float32, (4, 4)),
):
    attempt(
        f"{name} out",
        lambda f=f, kind=kind, shape=shape: f(square, out=torch.zeros(shape, dtype=kind).requires_grad_()).dtype,
    )
    attempt(
        f"{name} in",
        lambda f=f, kind=kind, shape=shape: (
            f(torch.eye(4, requires_grad=True), out=torch.zeros(shape, dtype=kind)).dtype
        ),
    )

# % out-laid: what is resized is laid out plainly, whatever the result is without out=
box = torch.ones(4, 6, 3)
for name, dim in (("fft", 0), ("rfft", 1), ("irfft", 0), ("hfft", 1), ("ifft", 0)):
    f, o = (
        getattr(torch.fft, name),
        torch.zeros(0, dtype=torch.float32 if name in ("irfft", "hfft") else torch.complex64),
    )
    print(name, f(box, dim=dim).stride(), f(box, dim=dim, out=o).stride())

# % out-several-dtypes: of operations with several results
attempt("geqrf", lambda: torch.geqrf(torch.eye(4), out=outs((4, 4), (4,), dtype=torch.int64)))
attempt("frexp", lambda: torch.frexp(torch.ones(2), out=(torch.zeros(2, dtype=torch.int64), torch.zeros(2))))
attempt("frexp exponent", lambda: torch.frexp(torch.ones(2), out=outs((2,), (2,))))
attempt("nansum", lambda: torch.nansum(torch.ones(2), out=torch.zeros((), dtype=torch.int64)))

# % out-of-layers: linear takes out=, and cholesky a dtype to which its result can be cast
x, w, b = torch.ones(1, 2), torch.ones(3, 2), torch.ones(3)
attempt("linear", lambda: torch.nn.functional.linear(x, w, b, out=torch.zeros(1, 3)))
attempt("linear resized", lambda: torch.nn.functional.linear(x, w, b, out=torch.zeros(2)))
attempt("linear dtype", lambda: torch.nn.functional.linear(x, w, b, out=torch.zeros(1, 3, dtype=torch.int64)))
attempt("linear recorded", lambda: torch.nn.functional.linear(x, w.clone().requires_grad_(), b, out=torch.zeros(1, 3)))
attempt("cholesky", lambda: torch.cholesky(torch.eye(2), out=torch.zeros(2, 2, dtype=torch.int64)))
attempt("cholesky wide", lambda: torch.cholesky(torch.eye(2), out=torch.zeros(2, 2, dtype=torch.float64)))
attempt("cond", lambda: torch.linalg.cond(torch.eye(2), out=torch.zeros(()).requires_grad_()))
attempt("tensordot", lambda: torch.tensordot(w, w, 2, out=torch.zeros(()).requires_grad_()))

# % out-forms-of-nansum: a dtype= must be that of out=; without NaN or into integers it is sum
for x in (torch.tensor([1.0, float("nan")]), torch.arange(2), torch.ones(2, dtype=torch.complex64)):
    for given in (None, torch.int64, torch.float32, torch.float64, torch.complex64):
        attempt(f"nansum as {given}", lambda x=x, given=given: torch.nansum(x, dtype=given))
        for own in (torch.float64, torch.int64, torch.complex64):
            out = torch.empty((), dtype=own)
            attempt(f"  into {own}", lambda x=x, given=given, out=out: torch.nansum(x, dtype=given, out=out))

# % out-forms-sizes-told: how often a new size is warned of where the result is computed in another dtype
x = torch.tensor([1.5, 2.0])
for name, others in (
    ("logical_and", (x,)),
    ("logical_or", (x,)),
    ("logical_xor", (x,)),
    ("floor_divide", (x,)),
    ("angle", ()),
    ("logit", ()),
    ("add", (x,)),
    ("clamp", (x, x)),
    ("clamp_min", (x,)),
    ("lerp", (x, 0.5)),
    ("addcmul", (x, x)),
):
    for kind in (torch.float32, torch.float64, torch.complex64):
        out = torch.empty(3, dtype=kind)
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            getattr(torch, name)(x, *others, out=out)
        print(name, kind, len(seen))

# % out-chain: a chain of one matrix is copied into out=
matrix = torch.eye(2)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    for out in (
        torch.zeros(0),
        torch.zeros(3),
        torch.zeros(2, 2).t(),
        torch.zeros(2, 2, dtype=torch.int64),
        torch.zeros(2, 2, dtype=torch.complex64),
    ):
        made = torch.chain_matmul(matrix, out=out)
        print(made is out, out, out.stride(), out._version)
    print(torch.chain_matmul(matrix.clone().requires_grad_(), out=torch.zeros(2, 2)))

# % out-order: arguments are read before out= is refused to what is recorded
x = torch.ones(2, 2, requires_grad=True)
for call in (
    lambda: torch.cumsum(x, x, out=torch.ones(2, 2)),
    lambda: torch.prod(x, x, out=torch.ones(2)),
    lambda: torch.sum(x, "a", out=torch.ones(2)),
    lambda: torch.cumsum(x, 0, out=torch.ones(2, 2)),
):
    with caught():
        print(call())

# % out-unrecorded: where nothing is recorded, what requires grad is written into out= by composed operations too
a, v = torch.eye(2, requires_grad=True), torch.ones(2, requires_grad=True)
block = torch.eye(4).reshape(2, 2, 2, 2).requires_grad_()
for mode in (torch.no_grad, torch.inference_mode, torch.enable_grad):
    for grad in (False, True):
        for call, shape, kind in (
            (lambda out: torch.matmul(a, a, out=out), (2, 2), torch.float32),
            (lambda out: torch.matmul(v, v, out=out), (), torch.float32),
            (lambda out: torch.matmul(a[None], v, out=out), (1, 2), torch.float32),
            (lambda out: torch.kron(a, a, out=out), (4, 4), torch.float32),
            (lambda out: torch.matrix_power(a, 3, out=out), (2, 2), torch.float32),
            (lambda out: torch.linalg.inv(a, out=out), (2, 2), torch.float32),
            (lambda out: torch.linalg.pinv(a, out=out), (2, 2), torch.float32),
            (lambda out: torch.linalg.cholesky(a, out=out), (2, 2), torch.float32),
            (lambda out: torch.linalg.solve(a, a, out=out), (2, 2), torch.float32),
            (lambda out: torch.linalg.svdvals(a, out=out), (2,), torch.float32),
            (lambda out: torch.linalg.eigvalsh(a, out=out), (2,), torch.float32),
            (lambda out: torch.linalg.tensorinv(block, out=out), (2, 2, 2, 2), torch.float32),
            (lambda out: torch.linalg.qr(a, out=(out, torch.empty(2, 2))).R, (2, 2), torch.float32),
            (lambda out: torch.fft.fft(v, out=out), (2,), torch.complex64),
        ):
            out = torch.empty(shape, dtype=kind, requires_grad=grad)
            with caught(), mode():
                print(call(out).abs().detach() + 0.0)

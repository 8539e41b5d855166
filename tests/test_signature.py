"""How calls meet signatures: the rules with stand-in classes, and word for word against live PyTorch."""

from __future__ import annotations

import random
import re
import subprocess
import sys
import timeit
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autogradlab.core.arguments.declared import ALIASES, UNNAMED
from autogradlab.core.arguments.mismatch import typename, types
from autogradlab.core.arguments.signature import Signature, Signatures
from autogradlab.ops.table import signatures
from autogradlab.ops.table.families import load_all
from autogradlab.ops.table.signatures import explain

load_all()

ROLES = ("tensor", "dtype", "device", "generator", "layout", "memory_format", "size", "storage", "on_deprecated")


@pytest.fixture
def roles() -> Iterator[None]:
    """Whatever a test puts into the registry is taken out again."""
    before = {role: getattr(types, role) for role in ROLES}
    yield
    for role, value in before.items():
        setattr(types, role, value)


class Tensor:
    """What the rules read of a tensor: dtype, dim(), numel(), requires_grad, item()."""

    def __init__(self, value: Any, requires_grad: bool = False) -> None:
        self.value = np.asarray(value)
        self.requires_grad = requires_grad

    def dim(self) -> int:
        return self.value.ndim

    def numel(self) -> int:
        return self.value.size

    def item(self) -> Any:
        return self.value.item()

    @property
    def dtype(self) -> Any:
        return Dtype(self.value.dtype)


class Dtype:
    def __init__(self, numpy: Any) -> None:
        self.is_floating_point, self.is_complex, self.name = numpy.kind == "f", numpy.kind == "c", numpy.name

    def __str__(self) -> str:
        return f"torch.{self.name}"


@pytest.fixture
def stand_in(roles: None) -> None:
    types.tensor = Tensor
    types.dtype = Dtype


def message(name: str, *args: Any, space: str = "torch", **kwargs: Any) -> str:
    """The text of the TypeError that binding this call raises."""
    found = signatures.lookup(name, space)
    assert found is not None
    with pytest.raises(TypeError) as caught:
        found.bind(args, kwargs)
    return str(caught.value)


# ---- the words, recorded from PyTorch 2.13 ---------------------------------------------------------------------------


@pytest.mark.usefixtures("stand_in")
class TestRecordedTexts:
    def test_single_signature(self) -> None:
        t = Tensor([1.0])
        assert message("relu") == 'relu() missing 1 required positional arguments: "input"'
        assert message("full") == 'full() missing 2 required positional argument: "size", "fill_value"'
        assert message("relu", 3) == "relu(): argument 'input' (position 1) must be Tensor, not int"
        assert message("relu", t, 2) == "relu() takes 1 positional argument but 2 were given"
        assert message("relu", t, foo=1) == "relu() got an unexpected keyword argument 'foo'"
        assert message("relu", t, input=t) == "relu() got multiple values for argument 'input'"
        assert message("size", 1, 2, space="Tensor") == "size() takes from 0 to 1 positional arguments but 2 were given"
        assert message("exp", 3, space="Tensor") == "TensorBase.exp() takes no arguments (1 given)"
        assert message("exp", x=3, space="Tensor") == "TensorBase.exp() takes no keyword arguments"

    def test_one_plausible_overload_speaks_alone(self) -> None:
        t = Tensor([1.0])
        assert message("mul", t, "s") == "mul(): argument 'other' (position 2) must be Tensor, not str"
        assert message("sum", t, dim="a", foo=2) == "sum(): argument 'dim' must be tuple of ints, not str"
        assert message("add", "s", space="Tensor") == "add(): argument 'other' (position 1) must be Tensor, not str"

    def test_hidden_overloads_are_not_listed(self) -> None:
        assert message("add", Tensor([1.0])) == (
            "add() received an invalid combination of arguments - got (Tensor), but expected (Tensor input, Tensor "
            "other, *, Number alpha = 1, Tensor out = None)"
        )

    def test_many_overloads(self) -> None:
        assert message("sum", Tensor([1.0]), Tensor([1.0])) == (
            "sum() received an invalid combination of arguments - got (Tensor, Tensor), but expected one of:\n"
            " * (Tensor input, *, torch.dtype dtype = None)\n"
            " * (Tensor input, tuple of ints dim, bool keepdim = False, *, torch.dtype dtype = None, Tensor out = "
            "None)\n"
        )
        assert message("view", (1.0, 2), space="Tensor") == (
            "view() received an invalid combination of arguments - got (tuple), but expected one of:\n"
            " * (torch.dtype dtype)\n"
            "      didn't match because some of the arguments have invalid types: (!tuple of (float, int)!)\n"
            " * (tuple of ints size)\n"
            "      didn't match because some of the arguments have invalid types: (!tuple of (float, int)!)\n"
        )

    def test_keywords_in_the_order_of_a_hash_table(self) -> None:
        text = message("std", Tensor([1.0]), foo=1, bar=2, dim=3)
        assert "got (Tensor, dim=int, bar=int, foo=int), but expected one of:" in text
        assert "got (dtype=int, ), but" in message("to", space="Tensor", dtype=3)
        text = message("max", Tensor([1.0]), dim="zz", keepdim=3)
        assert "      didn't match because some of the keywords were incorrect: keepdim, dim\n" in text

    def test_elements_of_lists(self) -> None:
        t = Tensor([1.0])
        end = 'failed to unpack the object at pos 2 with error "type must be tuple of ints,but got float"'
        assert message("zeros", 2, 3.5) == f"zeros(): argument 'size' {end}"
        assert message("zeros", (True, 2)) == (
            "zeros(): argument 'size' (position 1) must be tuple of ints, but found element of type bool at pos 0"
        )
        assert message("zeros", 2.5, 3) == "zeros() takes 1 positional argument but 2 were given"
        assert message("cat", (t, 2)) == "expected Tensor as element 1 in argument 0, but got int"


# ---- the rules -------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("stand_in")
class TestBinding:
    def test_values_and_defaults(self) -> None:
        t = Tensor([1.0])
        add = Signatures("add", "add(Tensor input, Tensor other, *, Scalar alpha=1, Tensor out=None)|numbers")
        for _ in range(2):  # the second call takes the remembered plan
            assert add.bind((t, 2), {}) == (0, {"input": t, "other": 2, "alpha": 1, "out": None})
            assert add.bind((t,), {"x2": t}) == (0, {"input": t, "other": t, "alpha": 1, "out": None})
            assert add.bind((t, t), {"alpha": Tensor(3)})[1]["alpha"] == 3
            assert add.bind((t,), {"alpha": 4}, method=True) == (0, {"other": t, "alpha": 4})

    def test_integers(self) -> None:
        for kind, takes in (("int", False), ("SymInt", True)):
            one = Signatures("f", f"f({kind} n)")
            for good in (3, np.int32(3), Tensor(3)):
                assert one.bind((good,), {}) == (0, {"n": 3})
            for bad in (True, 3.0, "3", None, Tensor(3.0), np.bool_(True), [3]):
                with pytest.raises(TypeError):
                    one.bind((bad,), {})
            if takes:
                assert one.bind((Tensor([3]),), {}) == (0, {"n": 3})
            else:
                with pytest.raises(TypeError):
                    one.bind((Tensor([3]),), {})
            for _ in range(2):
                with pytest.raises(ValueError, match=r"^Overflow when unpacking long long$"):
                    one.bind((2**63,), {})

    def test_numbers(self) -> None:
        scalar, real = Signatures("f", "f(Scalar n)"), Signatures("f", "f(float n)")
        for good in (1, 1.5, True, np.float32(1.5), np.int64(2), np.bool_(True), Tensor(1.5)):
            assert scalar.bind((good,), {})[1]["n"] == getattr(good, "item", lambda good=good: good)()
            assert isinstance(real.bind((good,), {})[1]["n"], float)
        assert scalar.bind((1j,), {}) == (0, {"n": 1j})
        for bad in ("s", None, Tensor([1.5]), Tensor(1.5, requires_grad=True), [1]):
            for one in (scalar, real):
                with pytest.raises(TypeError):
                    one.bind((bad,), {})
        with pytest.raises(TypeError):
            real.bind((1j,), {})

    def test_lists_of_integers(self) -> None:
        view = Signatures("view", "view(SymInt[] size)")
        assert view.bind((2, 3), {}) == view.bind(((2, 3),), {}) == view.bind(([2, Tensor(3)],), {})
        pair = Signatures("pool", "pool(Tensor input, int[2] kernel={1,2})")
        t = Tensor([1.0])
        assert pair.bind((t, 3), {})[1]["kernel"] == (3, 3)
        assert pair.bind((t,), {})[1]["kernel"] == (1, 2)
        assert pair.bind((t, []), {})[1]["kernel"] == ()

    def test_deprecated_overloads_come_last_and_are_told(self) -> None:
        told: list[str] = []
        types.on_deprecated = told.append
        add = signatures.lookup("add")
        assert add is not None
        t = Tensor([1.0])
        index, values = add.bind((t, 2, t), {})
        assert (index, values["alpha"]) == (0, 2)
        assert told[0].startswith(
            "This overload of add is deprecated:\n\tadd(Tensor input, Number alpha, Tensor other, *, Tensor out = None)"
            "\nConsider using one of the following signatures instead:\n\tadd(Tensor input, Tensor other, *, "
            "Number alpha = 1, Tensor out = None) (Triggered internally at "
        )

    def test_explain(self) -> None:
        t = Tensor([1.0])
        explain("relu", (t,), {})
        explain("no_such_function", (1, 2, 3), {})
        with pytest.raises(TypeError, match=r"^add_\(\) takes 1 positional argument but 2 were given$"):
            explain("add_", (t, "s", 3), {})

    def test_a_word_that_is_no_type(self) -> None:
        with pytest.raises(ValueError, match="unknown type 'Tenser'"):
            Signature.parse("f(Tenser input)")


def test_names_of_types() -> None:
    class Own:
        pass

    objects: tuple[Any, ...] = (None, 1, [1], "s", np.ones(2), np.float64(1), Own(), len, int, ..., random, {}.keys())
    assert [typename(obj) for obj in objects] == [
        "NoneType",
        "int",
        "list",
        "str",
        "numpy.ndarray",
        "numpy.float64",
        "Own",
        "builtin_function_or_method",
        "type",
        "ellipsis",
        "module",
        "dict_keys",
    ]


def test_every_declared_signature_can_be_read() -> None:
    count = 0
    for space in ("torch", "Tensor", "nn", "linalg", "special"):
        for name in signatures.names(space):
            found = signatures.lookup(name, space)
            assert found is not None
            said = ALIASES[name] if name in UNNAMED else name
            assert all(overload.name == said for overload in found.overloads)
            count += 1
    assert count > 1000


def test_declaring_is_cheap() -> None:
    text = "mul(Tensor input, Tensor other, *, Tensor out=None)"
    seconds = min(timeit.repeat(lambda: Signatures("mul", text), number=1000, repeat=7)) / 1000
    assert seconds < 2e-6


# ---- against live PyTorch --------------------------------------------------------------------------------------------

BAD_CALLS = Path(__file__).with_name("signature_bad_calls.txt")


@pytest.fixture
def real(torch: Any, roles: None) -> Callable[[str, str], Any]:
    """Registers torch's classes; gives torch's own parser-backed callables by namespace and name."""
    types.tensor, types.generator, types.size = torch.Tensor, torch.Generator, torch.Size
    for role in ("dtype", "device", "layout", "memory_format"):
        setattr(types, role, getattr(torch, role))
    types.storage = (torch.UntypedStorage, torch.TypedStorage)
    core = torch._C
    spaces = {"torch": core._VariableFunctions, "nn": core._nn, "linalg": core._linalg, "special": core._special}
    spaces |= {"fft": core._fft}

    def find(space: str, name: str) -> Any:
        if space == "Tensor":
            return getattr(core.TensorBase, name).__get__(torch.ones(2, 2))
        return getattr(spaces[space], name)

    return find


def outcome(function: Callable[..., Any], *args: Any) -> tuple[type[BaseException], str] | None:
    try:
        function(*args)
    except Exception as error:
        return type(error), str(error)
    return None


@pytest.mark.parity
@pytest.mark.filterwarnings("ignore")
def test_bad_calls_fail_as_in_torch(torch: Any, real: Callable[[str, str], Any]) -> None:
    names = {"np": np, "t": torch.ones(2, 2), "capture": lambda *args, **kwargs: (args, kwargs)}
    for line in BAD_CALLS.read_text(encoding="utf-8").splitlines():
        written, *texts = line.split("  # ")  # the signatures of what is not here follow the call
        space, name, call = re.fullmatch(r"(\w+)\.(\w+)(\(.*\))", written).groups()  # type: ignore[union-attr]
        args, kwargs = eval("capture" + call, names)
        function = real(space, name)
        theirs = written_out(outcome(lambda: function(*args, **kwargs)))
        found = Signatures(name, *texts) if texts else signatures.lookup(name, space)
        mine = outcome(found.bind, args, kwargs)  # type: ignore[union-attr]
        assert theirs is not None, line
        assert mine == theirs, line


def written_out(found: Any) -> Any:
    """An error of a method that was fetched from its tensor first, as a call that is written out gives it."""
    if found is not None and "takes no" in found[1]:
        return found[0], re.sub(r"^Tensor\.", "TensorBase.", found[1])
    return found


#: Words that only torch's argument rules use; other errors of torch come later, from the operation itself.
RULES = re.compile(
    r"received an invalid|\(\): argument '|positional argument|unexpected keyword|multiple values|as element"
    r"|failed to unpack|takes no"
)
#: Touch memory, devices or files in ways that a random call should not.
DANGEROUS = frozenset(
    {
        "set_",
        "set_data",
        "cuda",
        "data_ptr",
        "from_file",
        "frombuffer",
        "record_stream",
        "resize_",
        "resize_as_",
        "pin_memory",
        "is_pinned",
        "map_",
        "map2_",
        "untyped_storage",
        "empty_strided",
        "rrelu_with_noise",
        "type",
        "new_tensor",
        "apply_",
        "retain_grad",
        "share_memory_",
    }
)


def values(torch: Any) -> list[Callable[[], Any]]:
    """Makers of all sorts of arguments, tensors more often."""
    tensor = [lambda: torch.ones(2, 2)] * 4
    plain: list[Any] = ["s", 1, 0, 1.5, True, None, [1], (0, 1), [1.5], (1, "a"), (1.5, 2), 1j, {}, (), float, len]
    plain += [[None], (True,), [[1]], ["a", "b"], np.float64(1), np.int64(1), np.bool_(1), np.ones(2), range(2)]
    plain += [torch.float32, torch.strided, torch.channels_last, torch.Size([1]), torch.device("cpu"), object()]
    tensors = (1, 1.0, True, [1], [True])
    return [
        *tensor,
        *(lambda value=value: value for value in plain),
        *(lambda value=value: torch.tensor(value) for value in tensors),
        lambda: [torch.ones(2)],
        lambda: (torch.ones(2), 3),
        lambda: torch.tensor(1.0, requires_grad=True),
        lambda: torch.nn.Parameter(torch.ones(2)),
        lambda: torch.Generator(),
    ]


@pytest.mark.parity
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("space", ["torch", "Tensor", "nn", "linalg", "special"])
def test_random_calls_fail_as_in_torch(space: str, torch: Any, real: Callable[[str, str], Any]) -> None:
    rng, pool, refused = random.Random(space), values(torch), 0
    common = ["dim", "axis", "keepdim", "keepdims", "dtype", "out", "x", "input", "other", "foo", "size", "x2", "alpha"]
    for name in signatures.names(space):
        found = signatures.lookup(name, space)
        assert found is not None
        if name in DANGEROUS:
            continue
        keywords = [param.name for overload in found.overloads for param in overload.params] + common
        function = real(space, name)
        for _ in range(4):
            args = tuple(rng.choice(pool)() for _ in range(rng.choice((0, 1, 1, 2, 2, 3, 4, 5))))
            if space != "Tensor" and args and rng.random() < 0.5:
                args = (torch.ones(2, 2), *args[1:])
            kwargs = {rng.choice(keywords): rng.choice(pool)() for _ in range(rng.choice((0, 0, 1, 1, 2, 3)))}
            mine = outcome(found.bind, args, kwargs)
            theirs = written_out(outcome(lambda: function(*args, **kwargs)))
            if mine is not None or (theirs is not None and theirs[0] is TypeError and RULES.search(theirs[1])):
                refused += 1
                assert mine == theirs, (name, args, kwargs)
    assert refused > 2 * len(signatures.names(space))


@pytest.mark.parity
@pytest.mark.filterwarnings("ignore")
def test_functions_refuse_random_calls_in_torchs_words(torch: Any) -> None:
    """The functions themselves, not only their signatures; floors are raised by hand only."""
    import autogradlab

    core = torch._C
    spaces = {
        "torch": (core._VariableFunctions, autogradlab, 0.97),
        "Tensor": (torch.ones(2, 2), autogradlab.ones(2, 2), 0.97),
        "linalg": (core._linalg, autogradlab.linalg, 0.97),
        "special": (core._special, autogradlab.special, 0.98),
        "fft": (core._fft, autogradlab.fft, 0.97),
    }
    for space, (theirs, ours, floor) in spaces.items():
        refused, other = 0, {}
        for name in signatures.names(space):
            found = signatures.lookup(name, space)
            call = getattr(ours, name if space in ("torch", "Tensor") else name.partition("_")[2], None)
            if name in DANGEROUS or found is None or call is None or not hasattr(theirs, name):
                continue
            for n in range(3):
                expected, mine = (
                    outcome(call, *random_arguments(torch_, f"{space} {name} {n}"))
                    for torch_, call in ((torch, getattr(theirs, name)), (autogradlab, call))
                )
                expected = written_out(expected)
                if expected is not None and expected[0] is TypeError and RULES.search(expected[1]):
                    refused += 1
                    if mine != expected:
                        other[name] = (expected, mine)
        assert refused > 20 and 1 - len(other) / refused >= floor, (space, other)


def random_arguments(torch: Any, seed: str) -> list[Any]:
    draw, pool = random.Random(seed), values(torch)
    return [draw.choice(pool)() for _ in range(draw.choice((0, 1, 2, 2, 3, 4)))]


#: calls that fail in functions that PyTorch writes in Python, or in those in C with which they end
MIXED = (
    "F.layer_norm(x, (2,), 'a')",
    "F.batch_norm('a', None, None, training=True)",
    "F.batch_norm(x, x, x, 'a')",
    "F.group_norm(x, 1, T.float64)",
    "F.max_pool2d('a', 2)",
    "F.max_pool2d(x[None], 'a')",
    "F.max_pool2d(x[None], 2, return_indices=True, bogus=1)",
    "F.max_pool1d(x)",
    "F.fractional_max_pool2d(x[None], 2, 'a')",
    "F.adaptive_avg_pool2d(x[None], 'a')",
    "F.cross_entropy(x, 'a')",
    "F.kl_div(x, x, log_target=3)",
    "F.triplet_margin_loss(x, x, 'a')",
    "F.ctc_loss(x, x, 'a', [1])",
    "F.embedding(x.long(), 'a')",
    "F.embedding_bag(x.long(), x, mode='sum', per_sample_weights='a')",
    "F.pad(x, (1, 1), 3)",
    "F.unfold(x[None], 'a')",
    "F.elu(x, None)",
    "F.rrelu(x, None)",
    "T.rrelu(x, generator='a')",
    "T.group_norm(x, 1, cudnn_enabled=3)",
    "x.split(2, True)",
    "x.split()",
    "T.split(x)",
    "x.stft(bogus=1)",
    "x.istft(2, 'a')",
    "x.norm(bogus=1)",
    "x.unflatten(0)",
    "x.where('a', x)",
    "x.clamp(1, 'a')",
    "T.clamp_max(x)",
    "x.resize_as_('a')",
    "T.diagonal(x, True)",
    "T.linalg.inv('a')",
    "T.linalg.qr(x, 3)",
    "T.linalg.norm(x, bogus=1)",
    "T.expand_copy(x, 'a')",
    "T.view_copy(x, 1, 2)",
    "T.float32()",
    "T.Size([1])()",
    "T.device('cpu') + 1",
    "[1][T.strided]",
    "class_of(T.Size)",
)


@pytest.mark.parity
@pytest.mark.parametrize("call", MIXED)
def test_functions_in_python_and_those_they_end_in_refuse_alike(torch: Any, call: str) -> None:
    import autogradlab

    found = []
    for library in (torch, autogradlab):
        names = {"T": library, "F": library.nn.functional, "x": library.ones(2, 2)}
        names["class_of"] = lambda base: type("Own", (base,), {})
        found.append(outcome(eval, call, names))
    assert found[0] is not None
    assert found[1] == found[0]


def test_looking_up_loads_what_declares() -> None:
    """The signatures of functions in families and of those that nn has are found without loading them first."""
    code = (
        "import sys, autogradlab; from autogradlab.ops.table.signatures import lookup\n"
        "print('autogradlab.nn' in sys.modules, lookup('gather') is not None, "
        "lookup('linalg_det', 'linalg') is not None, lookup('gather', 'Tensor') is not None, "
        "'autogradlab.nn' in sys.modules)\n"
        "print(lookup('conv2d', 'torch') is not None, lookup('no such function'), lookup('_none_'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True", "True", "True", "False", "True", "None", "None"]

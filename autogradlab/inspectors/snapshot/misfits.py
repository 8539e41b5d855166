"""Errors of shapes, dtypes and indices, of losses and Modules: what they mean for the tensors in the user's line.

Most of these messages say all that is to be known, of tensors without names. `MISFITS` says what each looks like and by
which key of words/misfits.toml it is told; the parts of a pattern that have names are the fields of its sentence.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable
from types import ModuleType
from typing import Any

from ..prose import code
from ..words import say
from .cuts import Diagnosis, grouped
from .failing import Failure
from .kinds import is_module, is_tensor

__all__ = ["misfit"]

#: number types as messages spell them -> as a program writes them
DTYPES = {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "bfloat16": "bfloat16",
    "c10::bfloat16": "bfloat16",
    "c10::half": "float16",
    "long": "int64",
    "long int": "int64",
    "int": "int32",
    "short": "int16",
    "char": "int8",
    "signed char": "int8",
    "byte": "uint8",
    "unsigned char": "uint8",
    "bool": "bool",
    "complexfloat": "complex64",
    "complexdouble": "complex128",
}

Fields = dict[str, str]


def misfit(failed: Failure) -> Diagnosis | None:
    """What does not fit, if it is an error that is known here."""
    for kind, pattern, find in MISFITS:
        match = re.search(pattern, failed.message)
        if match is None:
            continue
        fields = match.groupdict()
        fields |= {key: DTYPES.get(v.lower(), v) for key, v in fields.items() if key.endswith("dtype")}
        told = find(failed, fields)
        if told is not None:
            return Diagnosis(told.pop("as", kind), told, words="misfits")
    return None


# -- what the line says ------------------------------------------------------------------------------------------------


def _subject(failed: Failure) -> ast.expr | None:
    """The tensor that was asked: what a method was called on, the first argument of a function, what has the index."""
    match failed.call:
        case ast.Call(func=ast.Attribute(value=of) as method) if not (
            isinstance(failed.value(of), ModuleType) or is_module(failed.value(method))
        ):
            return of
        case ast.Call(args=[first, *_]):
            return first
        case ast.Subscript(value=of):
            return of
        case ast.Name() | ast.Compare() | ast.BoolOp() as node:
            return node
    return None


def _spelled(node: ast.expr | None, otherwise: str) -> str:
    return otherwise if node is None else ast.unparse(node)


def _argument(failed: Failure, place: int, *names: str) -> ast.expr | None:
    """An argument of the call that failed, by its place or one of its names."""
    if not isinstance(failed.call, ast.Call):
        return None
    named = (k.value for k in failed.call.keywords if k.arg in names)
    return next(named, failed.call.args[place] if place < len(failed.call.args) else None)


def _called(failed: Failure) -> str:
    return ast.unparse(failed.call.func) if isinstance(failed.call, ast.Call) else "f"


def _plain(failed: Failure, fields: Fields) -> Fields:
    return fields


def _named(failed: Failure, fields: Fields) -> Fields:
    """With the name of what was asked."""
    return fields | {"name": _spelled(_subject(failed), "t")}


def _target(failed: Failure, fields: Fields) -> Fields:
    """With the names of the input and the target of a loss."""
    pred, target = _argument(failed, 0, "input"), _argument(failed, 1, "target")
    found = fields | {"pred": _spelled(pred, "input"), "name": _spelled(target, "target")}
    if target is not None:
        found["call"] = grouped(target)
    return found | {"call": found.get("call", "target")}


# -- one function where more is to be said -----------------------------------------------------------------------------


def _numbers(shape: str) -> list[int]:
    return [int(n) for n in re.findall(r"-?\d+", shape)]


def _shape(sizes: str) -> str:
    return str(tuple(_numbers(sizes)))


def _viewed(failed: Failure, fields: Fields) -> Fields:
    found = _named(failed, fields)
    match failed.call:
        case ast.Call(func=ast.Attribute(value=of, attr="view"), args=sizes):
            found["cure"] = f"{grouped(of)}.reshape({', '.join(map(ast.unparse, sizes))})"
    return found


def _reshaped(failed: Failure, fields: Fields) -> Fields:
    sizes = _numbers(fields["shape"])
    product = math.prod(n for n in sizes if n != -1)
    found = _named(failed, fields) | {"shape": str(tuple(sizes)), "product": str(product)}
    return found | ({"as": "reshape_rest"} if -1 in sizes else {})


def _single(failed: Failure, fields: Fields) -> Fields:
    """One number is wanted: by `item`, by `float`, by the list of numbers that `torch.tensor` takes."""
    call = failed.call
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "tensor":
        listed = ast.unparse(call.args[0]) if call.args else "tensors"
        return {"as": "single_listed", "name": listed, "module": ast.unparse(call.func.value)}
    return {"name": _spelled(_subject(failed), "t"), "wanted": f"{_called(failed)}(...)"}


def _item(failed: Failure, fields: Fields) -> Fields:
    return _named(failed, fields) | ({"as": "item_empty"} if fields["count"] == "0" else {})


def _truth(failed: Failure, fields: Fields) -> Fields:
    """Several elements are neither true nor false; a loss that is made of tensors takes them for its settings."""
    match failed.call:
        case ast.Call(func=made, args=[_, _, *_] as given) if isinstance(failed.value(made), type):
            spelled = ast.unparse(made)
            if spelled.endswith("Loss"):
                cure = f"{spelled}()({', '.join(map(ast.unparse, given))})"
                return {"as": "truth_loss", "made": spelled, "cure": cure}
    node = _subject(failed)
    node = getattr(failed.statement, "test", None) if node is None else node
    parts = node.values if isinstance(node, ast.BoolOp) else [node]
    asked = (part for part in parts if is_tensor(value := failed.value(part)) and value.numel() != 1)
    return {"name": _spelled(next(asked, parts[0]), "t")}


def _indexed(failed: Failure, fields: Fields) -> Fields:
    size = int(fields["size"])
    found = _named(failed, fields) | {"last": str(size - 1)}
    return found | ({"as": "indexed_empty"} if not size else {})


def _dimension(failed: Failure, fields: Fields) -> Fields:
    """The dimensions that a tensor has are one less than the highest number plus one, which for none is also 0."""
    node = _subject(failed)
    tensor: Any = failed.value(node)
    count = tensor.dim() if is_tensor(tensor) else int(fields["last"]) + 1
    found = fields | {"name": _spelled(node, "t"), "count": str(count)}
    return found | ({"as": "dimension_none"} if is_tensor(tensor) and not count else {})


def _not_tensor(failed: Failure, fields: Fields) -> Fields:
    """A number, a list or an array where a tensor is wanted."""
    node = _argument(failed, int(fields.get("place", "1")) - 1, fields["argument"])
    if is_module(failed.value(getattr(failed.call, "func", None))):
        node = _argument(failed, 0, "input")
    kind = fields["type"]
    makes = {"numpy.ndarray": "torch.from_numpy", "int": "torch.tensor", "float": "torch.tensor"}
    makes |= {"list": "torch.tensor", "tuple": "torch.tensor", "bool": "torch.tensor", "numpy.float64": "torch.tensor"}
    if kind not in makes:
        return fields | {"as": "not_tensor_other", "name": _spelled(node, fields["argument"])}
    name = _spelled(node, fields["argument"])
    numbers = ".float()" if kind == "numpy.ndarray" and fields["argument"] == "input" else ""  # as parameters are
    return fields | {"name": name, "cure": f"{makes[kind]}({name}){numbers}"}


def _kept_apart(failed: Failure, fields: Fields) -> Fields:
    return fields | {"one": _shape(fields["one"]), "other": _shape(fields["other"])}


def _channels(failed: Failure, fields: Fields) -> Fields:
    layer, given = _spelled(getattr(failed.call, "func", None), "conv"), _argument(failed, 0, "input")
    call = "input" if given is None else grouped(given)
    return fields | {"layer": layer, "name": _spelled(given, "input"), "call": call}


def _summed(failed: Failure, fields: Fields) -> Fields:
    """Two factors of two dtypes, or a summand whose dtype is not theirs."""
    if fields["one_dtype"] != fields["other_dtype"]:
        return fields
    return {"as": "found", "dtype": fields["added_dtype"], "wanted_dtype": fields["one_dtype"]}


def _loaded(failed: Failure, fields: Fields) -> Fields:
    """Which keys or sizes of a state_dict are not those of the Module that loads it."""
    match failed.call:
        case ast.Call(func=ast.Attribute(value=of)):
            fields["name"] = ast.unparse(of)
        case _:
            fields["name"] = fields["module"]
    listed = (re.search(rf"{what} key\(s\) in state_dict: (.*)", failed.message) for what in ("Missing", "Unexpected"))
    missing, unexpected = (re.findall('"([^"]+)"', found[1]) if found else [] for found in listed)
    sized = re.search(rf"size mismatch for (\S+): .*?\(({_SIZES})\) .*?\(({_SIZES})\)", failed.message)
    fields |= {"missing": _some(missing), "unexpected": _some(unexpected)}
    if missing and unexpected:
        prefix = unexpected[0].removesuffix(missing[0])
        return fields | (
            {"as": "state_prefix", "prefix": prefix} if unexpected == [prefix + k for k in missing] else {}
        )
    if missing or unexpected:
        return fields | {"as": "state_missing" if missing else "state_unexpected"}
    if sized is None:
        return {}
    return fields | {"as": "state_sizes", "key": sized[1], "one": _shape(sized[2]), "other": _shape(sized[3])}


def _some(keys: list[str]) -> str:
    """The first of many keys."""
    return say("common.list").join(map(code, keys[:3])) + (" …" if len(keys) > 3 else "")


def _given(failed: Failure, fields: Fields) -> Fields:
    """What a layer was given, with its shape."""
    fields |= {"shape": _shape(fields["shape"])} if "shape" in fields else {}
    return _channels(failed, fields)


def _same_size(failed: Failure, fields: Fields) -> Fields:
    fields |= {k: _shape(fields[k]) for k in ("one", "other")}
    return _target(failed, fields)


def _multi(failed: Failure, fields: Fields) -> Fields:
    found = _target(failed, fields)
    target: Any = failed.value(_argument(failed, 1, "target"))
    if is_tensor(target):
        column = target.dim() == 2 and target.shape[1] == 1
        found |= {"shape": str(tuple(target.shape))}
        found |= {"cure": f"{found['call']}.squeeze(1)"} if column else {"as": "target_multi_many"}
        return found
    return found | {"as": "target_multi_unknown"}


def _out_of_bounds(failed: Failure, fields: Fields) -> Fields:
    found = _target(failed, fields)
    pred: Any = failed.value(_argument(failed, 0, "input"))
    if not is_tensor(pred) or not pred.dim():
        return found | {"as": "target_range_unknown"}
    classes = pred.shape[1 if pred.dim() > 1 else 0]
    return found | {"classes": str(classes), "last": str(classes - 1)}


def _looked_up(failed: Failure, fields: Fields) -> Fields | None:
    layer: Any = failed.value(getattr(failed.call, "func", None))
    rows = getattr(layer, "num_embeddings", None) if is_module(layer) else None
    found = {"layer": _called(failed), "name": _spelled(_argument(failed, 0, "input"), "index")}
    return None if rows is None else fields | found | {"rows": str(rows), "last": str(rows - 1)}


def _assigned(failed: Failure, fields: Fields) -> Fields:
    """A tensor in the place of a Parameter."""
    match failed.statement:
        case ast.Assign(targets=[ast.Attribute() as place], value=given):
            spelled = ast.unparse(place)
            return fields | {"place": spelled, "cure": f"{spelled} = nn.Parameter({ast.unparse(given)})"}
    return fields | {"place": fields["parameter"]}


def _operands(failed: Failure, fields: Fields) -> Fields | None:
    """A tensor and what no operation takes beside it."""
    tensors = ("Tensor", "Parameter")
    first = fields["one"] in tensors
    other = fields["other"] if first else fields["one"]
    kind = {"list": "operands", "tuple": "operands", "NoneType": "operands_none", "str": "operands_other"}.get(other)
    if kind is None or not (first or fields["other"] in tensors) or not isinstance(failed.call, ast.BinOp):
        return None
    name = ast.unparse(failed.call.right if first else failed.call.left)
    if name == "None":
        return None
    cure = {} if kind != "operands" else {"cure": f"torch.tensor({name})"}
    return {"as": kind, "op": fields["op"], "name": name, "type": other, **cure}


def _spread(failed: Failure, fields: Fields) -> Fields:
    match failed.statement:
        case ast.Assign(targets=[ast.Subscript()]):
            return fields | {"as": "expanded_assigned"}
    return fields


def _two_dtypes(failed: Failure, fields: Fields) -> Fields:
    """Those of a product; where a layer was called, of its input and its parameters."""
    layer = is_module(failed.value(getattr(failed.call, "func", None)))
    return _channels(failed, fields) | {"as": "dtypes_layer"} if layer else fields


def _copied(failed: Failure, fields: Fields) -> Fields:
    node = _argument(failed, 0)
    tensor: Any = failed.value(node)
    if node is None or not (is_tensor(tensor) or isinstance(node, (ast.BinOp, ast.UnaryOp))):
        return {"as": "copied_inside"}
    return {"name": ast.unparse(node), "cure": f"{grouped(node)}.detach().clone()"}


def _flagged(failed: Failure, fields: Fields) -> Fields:
    match failed.statement:
        case ast.Assign(targets=[ast.Attribute(value=of)]):
            node: ast.expr | None = of
        case _:
            node = _subject(failed)
    return {"name": _spelled(node, "t"), "call": "t" if node is None else grouped(node)}


def _sizes_called(failed: Failure, fields: Fields) -> Fields | None:
    match failed.call:
        case ast.Call(func=ast.Attribute(attr="shape") as shape):
            return {"name": ast.unparse(shape.value), "cure": ast.unparse(shape)}
    return None


_SIZES = r"\[[\d, ]*\]"

#: the key of the words, what a message looks like, who looks into it
MISFITS: tuple[tuple[str, str, Callable[[Failure, Fields], Fields | None]], ...] = (
    ("view", r"view size is not compatible with input tensor's size and stride", _viewed),
    ("reshape", r"^shape '(?P<shape>\[[-\d, ]*\])' is invalid for input of size (?P<size>\d+)", _reshaped),
    ("item", r"a Tensor with (?P<count>\d+) elements cannot be converted to Scalar", _item),
    ("single", r"only one element tensors can be converted to Python scalars", _single),
    ("truth", r"Boolean value of Tensor with more than one value is ambiguous", _truth),
    ("truth_none", r"Boolean value of Tensor with no values is ambiguous", _truth),
    ("target", r"expected target dtype to be Long or Byte, but got (?P<dtype>\w+)", _target),
    ("target", r"expected scalar type Long but found (?P<dtype>\w+)", _target),
    ("target_range", r"^Target (?P<found>-?\d+) is out of bounds", _out_of_bounds),
    (
        "target_batch",
        r"Expected input batch_size \((?P<one>\d+)\) to match target batch_size \((?P<other>\d+)\)",
        _target,
    ),
    ("target_multi", r"0D or 1D target tensor expected, multi-target not supported", _multi),
    (
        "target_probabilities",
        r"Expected floating point type for target with class probabilities, got (?P<dtype>\w+)",
        _target,
    ),
    ("target_sized", rf"Expected target size (?P<one>{_SIZES}), got (?P<other>{_SIZES})", _same_size),
    (
        "target_same",
        (
            rf"Using a target size \(torch\.Size\((?P<other>{_SIZES})\)\) that is different to the input size "
            rf"\(torch\.Size\((?P<one>{_SIZES})\)\) is deprecated"
        ),
        _same_size,
    ),
    (
        "target_same",
        (
            rf"Target size \(torch\.Size\((?P<other>{_SIZES})\)\) must be the same as input size "
            rf"\(torch\.Size\((?P<one>{_SIZES})\)\)"
        ),
        _same_size,
    ),
    ("probabilities", r"all elements of input should be between 0 and 1", _target),
    (
        "dtypes",
        r"mat1 and mat2 must have the same dtype, but got (?P<one_dtype>\w+) and (?P<other_dtype>\w+)",
        _two_dtypes,
    ),
    (
        "dtypes",
        r"expected m1 and m2 to have the same dtype, but got: (?P<one_dtype>[\w: ]+) != (?P<other_dtype>[\w: ]+)",
        _plain,
    ),
    (
        "dtypes_layer",
        r"Input type \((?P<one_dtype>[\w: ]+)\) and bias type \((?P<other_dtype>[\w: ]+)\) should be the same",
        _channels,
    ),
    (
        "dtypes",
        r"dot : expected both vectors to have same dtype, but found (?P<one_dtype>\w+) and (?P<other_dtype>\w+)",
        _plain,
    ),
    (
        "dtypes",
        (
            r"addmv input tensors must have the same dtype, but got (?P<added_dtype>\w+), (?P<one_dtype>\w+), and "
            r"(?P<other_dtype>\w+)"
        ),
        _summed,
    ),
    ("found", r"^self and mat2 must have the same dtype, but got (?P<dtype>\w+) and (?P<wanted_dtype>\w+)", _plain),
    ("found", r"^expected scalar type (?P<wanted_dtype>\w+) but found (?P<dtype>\w+)", _plain),
    ("state_keys", r"^Error\(s\) in loading state_dict for (?P<module>\w+)", _loaded),
    ("found", r"^Found dtype (?P<dtype>\w+) but expected (?P<wanted_dtype>\w+)", _plain),
    (
        "not_tensor",
        (
            r"^(?P<function>\w+)\(\): argument '(?P<argument>\w+)' \(position (?P<place>\d+)\) must be Tensor, "
            r"not (?P<type>[\w.]+)"
        ),
        _not_tensor,
    ),
    ("joined_dims", r"^Tensors must have same number of dimensions: got (?P<one>\d+) and (?P<other>\d+)", _plain),
    (
        "joined_sizes",
        (
            r"^Sizes of tensors must match except in dimension (?P<dim>\d+)\. Expected size (?P<one>\d+) but got size "
            r"(?P<other>\d+) for tensor number (?P<number>\d+) in the list"
        ),
        _plain,
    ),
    (
        "stacked",
        (
            rf"stack expects each tensor to be equal size, but got (?P<one>{_SIZES}) at entry 0 and "
            rf"(?P<other>{_SIZES}) at entry (?P<number>\d+)"
        ),
        _kept_apart,
    ),
    (
        "dimension",
        r"^Dimension out of range \(expected to be in range of \[-\d+, (?P<last>\d+)\], but got (?P<found>-?\d+)\)",
        _dimension,
    ),
    (
        "indexed",
        r"^index (?P<found>-?\d+) is out of bounds for dimension (?P<dim>\d+) with size (?P<size>\d+)",
        _indexed,
    ),
    ("indexed_many", r"^too many indices for tensor of dimension (?P<count>\d+)", _named),
    ("indexed_by", r"tensors used as indices must be long, int, byte or bool tensors", _named),
    (
        "masked",
        (
            rf"The shape of the mask (?P<one>{_SIZES}) at index \d+ does not match the shape of the indexed tensor "
            rf"(?P<other>{_SIZES}) at index (?P<dim>\d+)"
        ),
        lambda failed, fields: _named(failed, _kept_apart(failed, fields)),
    ),
    ("zero_dim", r"^(?:iteration over a|len\(\) of a) 0-d tensor|^invalid index of a 0-dim tensor", _named),
    (
        "channels",
        (
            r"weight of size \[[\d, ]*\], expected input\[[\d, ]*\] to have (?P<wanted>\d+) channels, but got "
            r"(?P<found>\d+) channels instead"
        ),
        _channels,
    ),
    (
        "conv_dims",
        (
            rf"Expected (?P<alone>\d)D \(unbatched\) or (?P<batched>\d)D \(batched\) input to conv\dd, but got input "
            rf"of size: (?P<shape>{_SIZES})"
        ),
        _given,
    ),
    ("kernel", r"Kernel size can't be greater than actual input size", _channels),
    (
        "one_each",
        rf"Expected more than 1 value per channel when training, got input size torch\.Size\((?P<shape>{_SIZES})\)",
        _given,
    ),
    (
        "rnn_input",
        r"input\.size\(-1\) must be equal to input_size\. Expected (?P<wanted>\d+), got (?P<found>\d+)",
        _channels,
    ),
    (
        "result",
        r"result type (?P<one_dtype>\w+) can't be cast to the desired output type (?P<other_dtype>\w+)",
        _plain,
    ),
    (
        "in_place_shape",
        rf"output with shape (?P<one>{_SIZES}) doesn't match the broadcast shape (?P<other>{_SIZES})",
        _kept_apart,
    ),
    (
        "mat_vec",
        r"size mismatch, got input \(\d+\), mat \((?P<rows>\d+)x(?P<columns>\d+)\), vec \((?P<size>\d+)\)",
        _plain,
    ),
    ("dot_dims", r"1D tensors expected, but got (?P<one>\d+)D and (?P<other>\d+)D tensors", _plain),
    (
        "batches",
        (
            r"Expected size for first two dimensions of batch2 tensor to be: \[(?P<batch>\d+), (?P<columns>\d+)\] but "
            r"got: \[(?P<found>\d+), (?P<rows>\d+)\]"
        ),
        lambda failed, fields: fields | ({"as": "batches_rows"} if fields["batch"] == fields["found"] else {}),
    ),
    (
        "expanded",
        (
            r"The expanded size of the tensor \((?P<one>\d+)\) must match the existing size \((?P<other>\d+)\) at "
            r"non-singleton dimension (?P<dim>\d+)"
        ),
        _spread,
    ),
    ("ragged", r"expected sequence of length (?P<one>\d+) at dim (?P<dim>\d+) \(got (?P<other>\d+)\)", _plain),
    ("no_parameters", r"^optimizer got an empty parameter list", _plain),
    (
        "parameters_listed",
        r"params argument given to the optimizer should be an iterable of Tensors or dicts, but got [\w.]*Tensor",
        lambda failed, fields: {"name": _spelled(_argument(failed, 0, "params"), "w")},
    ),
    ("whole", r"^(?P<function>\w+)\(\): could not infer output dtype\..* Got: (?P<dtype>\w+)", _named),
    (
        "whole_kernel",
        r"^\"\w+\" not implemented for '(?P<dtype>Long|Int|Short|Char|Byte|Bool)'",
        lambda failed, fields: _named(failed, fields | {"function": _called(failed)}),
    ),
    ("copied", r"Only Tensors created explicitly by the user \(graph leaves\) support the deepcopy protocol", _copied),
    ("flagged", r"you can only change requires_grad flags of leaf variables", _flagged),
    (
        "looked_up_by",
        r"^Expected tensor for argument #1 'indices' to have .* but got torch\.(?P<dtype>\w+)Tensor instead",
        _looked_up,
    ),
    ("looked_up", r"^index out of range in self", _looked_up),
    (
        "assigned",
        r"cannot assign '(?P<type>[\w.]*Tensor)' as parameter '(?P<parameter>\w+)' \(torch\.nn\.Parameter or None",
        _assigned,
    ),
    ("early", r"cannot assign (?P<what>\w+) before Module\.__init__\(\) call", _plain),
    ("no_forward", r'^Module \[(?P<module>\w+)\] is missing the required "forward" function', _plain),
    ("sizes_called", r"^'torch\.Size' object is not callable", _sizes_called),
    (
        "operands",
        r"^unsupported operand type\(s\) for (?P<op>[^:]+): '(?P<one>\w+)' and '(?P<other>\w+)'",
        _operands,
    ),
    ("texted", r'^can only concatenate str \(not "(?:Tensor|Parameter)"\) to str', _plain),
)

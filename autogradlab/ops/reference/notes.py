"""Notes that several help texts share: a line `~word` in a text stands for one of these."""

from typing import Final

NOTES: Final = {
    "dim": "Shapes: input's shape without dim, or with size 1 there if keepdim; 0-dim without dim.",
    "dims": "Shapes: input's shape without the dimensions of dim, or with size 1 there if keepdim; 0-dim without dim.",
    "draw": "Note: the numbers are PyTorch's own after the same manual_seed.",
    "elementwise": "Shapes: any; the result has input's shape.\nDtypes: any; the result has the same.",
    "elementwise-bool": "Shapes: any; the result has input's shape.\nDtypes: any; the result is bool.",
    "elementwise-float": "Shapes: any; the result has input's shape.\n"
    "Dtypes: float and complex; integers and bool are computed in the default dtype.",
    "elementwise-real": "Shapes: any; the result has input's shape.\n"
    "Dtypes: float; integers and bool are computed in the default dtype.",
    "floats": "Dtypes: float and complex.",
    "form": "Note: all arguments are given; nn.functional has the form with defaults.",
    "indices": "Dtypes: any; the indices are int64 (int32 too where PyTorch takes it).",
    "like": "Shapes: input's.\nDtypes: input's, if dtype= does not say otherwise.",
    "one-dtype": "Dtypes: any number, all tensors of the same dtype.",
    "pair": "Shapes: both broadcast together.\n"
    "Dtypes: any two; the result has the promoted dtype. other may be a number.",
    "pair-bits": "Shapes: both broadcast together.\nDtypes: integers and bool; other may be a number.",
    "pair-bool": "Shapes: both broadcast together.\nDtypes: any two; the result is bool. other may be a number.",
    "pair-computed": "Shapes: both broadcast.\n"
    "Dtypes: float; integers are computed in the default dtype; one of them may be a number.",
    "pair-float": "Shapes: both broadcast together.\nDtypes: float; other dtypes are promoted to it.",
    "pair-real": "Shapes: both broadcast together.\nDtypes: real numbers; other may be a number.",
    "random-last": "Note: where an index occurs twice, one of the values is kept; which one is undefined.",
    "real-indices": "Dtypes: real numbers; the indices are int64.",
    "repeats": "Note: where an index occurs twice, both contributions are added.",
    "same-dtype": "Dtypes: any; the result has input's.",
    "scan": "Shapes: input's shape.",
    "size": "Shapes: the given sizes.\nDtypes: the default dtype, if dtype= does not say otherwise.",
    "sum": "Dtypes: any; integers and bool give int64, if dtype= does not say otherwise.",
    "view": "Note: a view: it shares input's memory, and its gradient goes to input.",
}

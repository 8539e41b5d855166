"""What a Module does to all its tensors: dtype, device, training mode, requires_grad, zero_grad, apply."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from ...core.memory.absent import NO_DATA
from ...core.recording.record import TENSORS
from ...core.tensor.swapping import swap_tensors
from ...core.tensor.tensor import Tensor
from ...core.types.device import device as Device
from ...core.types.device import is_meta
from ...core.types.dtypes import dtype as Dtype
from ..parameter import is_lazy

__all__ = ["CONVERSION", "Convert"]


class _Conversion:
    """What converting a module does to its parameters: they get other memory, or are replaced, or change places."""

    overwrite = swap = False


CONVERSION = _Conversion()


class Convert:
    """The part of Module that changes all of its tensors at once."""

    training: bool
    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _modules: dict[str, Any]
    parameters: Callable[..., Any]
    children: Callable[..., Any]
    modules: Callable[..., Any]

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Any:
        if recurse:
            for module in self.children():
                module._apply(fn)
        for name, param in self._parameters.items():
            if param is None:
                continue
            grad = param._grad
            with_grad = None if grad is None else fn(grad.detach())
            made = fn(param.detach())
            if CONVERSION.swap:
                made.requires_grad_(param.requires_grad)
                swap_tensors(param, type(param)(made, param.requires_grad))
            elif CONVERSION.overwrite or made.device != param.device:
                param = self._parameters[name] = type(param)(made, param.requires_grad)
            else:
                _replace(param, made)
            if with_grad is None:
                continue
            if CONVERSION.swap or CONVERSION.overwrite or with_grad.device != grad.device:
                param.grad = with_grad.requires_grad_(grad.requires_grad)
            else:
                _replace(grad, with_grad)
        for name, buf in self._buffers.items():
            if buf is not None:
                self._buffers[name] = fn(buf)
        return self

    def apply(self, fn: Callable[[Any], None]) -> Any:
        """Call `fn` on every submodule, the deepest first, and on the module itself; give the module back."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Any:
        """Convert parameters and floating point buffers to a dtype or device, in place; give the module back.

        Errors: TypeError for a dtype that is neither floating point nor complex.
        """
        wanted = kwargs.get("dtype")
        where = kwargs.get("device")
        for a in (*args, kwargs.get("tensor")):
            if isinstance(a, Dtype):
                wanted = a
            elif isinstance(a, Tensor):
                wanted = a.dtype
            elif isinstance(a, (str, Device)) or (isinstance(a, int) and not isinstance(a, bool)):
                where = a
        elsewhere = None if where is None else is_meta(where)
        order = kwargs.get("memory_format")
        if order is not None:
            rank = {"channels_last": 4, "channels_last_3d": 5}.get(order.name)

            def laid(t: Any) -> Any:
                return t.to(memory_format=order) if t.dim() == rank else t

            self._apply(laid)
        if wanted is None:
            return self if elsewhere is None else self._moved(where)
        if not (wanted.is_floating_point or wanted.is_complex):
            raise TypeError(
                f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={wanted}"
            )
        if wanted.is_complex:
            warnings.warn(
                "Complex modules are a new feature under active development whose design may change, and some modules "
                "might not work as expected when using complex tensors as parameters or buffers. Please file an issue "
                "at https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml if a complex module does not "
                "work as expected.",
                stacklevel=2,
            )
        return self._moved(where, wanted)

    def _moved(self, where: Any, wanted: Any = None) -> Any:
        def convert(t: Any) -> Any:
            kind = wanted if t.dtype.is_floating_point or t.dtype.is_complex else None
            try:
                return t.to(where, kind)
            except NotImplementedError as error:
                if str(error) != NO_DATA:
                    raise
                raise NotImplementedError(
                    f"{error} Please use torch.nn.Module.to_empty() instead of torch.nn.Module.to() when moving module "
                    "from meta to a different device."
                ) from None

        return self._apply(convert)

    def float(self) -> Any:
        """Convert floating point parameters and buffers to float32."""
        return self._only_floats("float")

    def double(self) -> Any:
        """Convert floating point parameters and buffers to float64."""
        return self._only_floats("double")

    def half(self) -> Any:
        """Convert floating point parameters and buffers to float16."""
        return self._only_floats("half")

    def bfloat16(self) -> Any:
        """Convert floating point parameters and buffers to bfloat16."""
        return self._only_floats("bfloat16")

    def _only_floats(self, name: str) -> Any:
        return self._apply(lambda t: getattr(t, name)() if t.dtype.is_floating_point else t)

    def type(self, dst_type: Any) -> Any:
        """Convert all parameters and buffers to `dst_type`."""
        return self._apply(lambda t: t.type(dst_type))

    def cpu(self) -> Any:
        """Everything is on the CPU already."""
        return self._apply(lambda t: t.cpu())

    def cuda(self, device: Any = None) -> Any:
        """Refused, as by a CPU build of PyTorch, unless there is nothing to move."""
        return self._apply(lambda t: t.cuda(device))

    def xpu(self, device: Any = None) -> Any:
        """Refused, as by a build of PyTorch without it, unless there is nothing to move."""
        return self._apply(lambda t: _refuse(AssertionError("Torch not compiled with XPU enabled")))

    def ipu(self, device: Any = None) -> Any:
        """Refused, as by a build of PyTorch without it, unless there is nothing to move."""
        words = "PyTorch is not linked with support for ipu devices"
        return self._apply(lambda t: _refuse(RuntimeError(words)))

    def mtia(self, device: Any = None) -> Any:
        """Refused, as by a build of PyTorch without it, unless there is nothing to move."""
        words = (
            "Torch not compiled with MTIA enabled. Ensure you have `import "
            "mtia.host_runtime.torch_mtia.dynamic_library` in your python src file and include "
            "`//mtia/host_runtime/torch_mtia:torch_mtia` as your target dependency!"
        )
        return self._apply(lambda t: _refuse(AssertionError(words)))

    def to_empty(self, *, device: Any, recurse: bool = True) -> Any:
        """New memory with arbitrary values for all parameters and buffers."""
        return self._apply(lambda t: TENSORS.empty_like(t, device=device), recurse=recurse)

    def share_memory(self) -> Any:
        """Give the module back: all memory can be read by every thread."""
        return self

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Nothing is compiled; calls are the same without."""

    def train(self, mode: bool = True) -> Any:
        """Set training mode, which Dropout and BatchNorm follow, here and below; return the module."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Any:
        """The same as `train(False)`."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        """Set requires_grad of all parameters; give the module back."""
        for p in self.parameters():
            p.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters; with set_to_none=False fill them with zeros."""
        for p in self.parameters():
            clear(p, set_to_none)


def _refuse(error: Exception) -> Any:
    raise error


def clear(p: Any, set_to_none: bool) -> None:
    """Remove the gradient of a parameter, or make it zero."""
    grad = p._grad
    if grad is None:
        return
    if set_to_none:
        p._grad = None
        return
    if grad.grad_fn is not None:
        grad.detach_()
    else:
        grad.requires_grad_(False)
    grad.zero_()


def _replace(t: Tensor, by: Tensor) -> None:
    """Give a tensor other memory, as `t.data = by` does; uninitialized parameters are taken too."""
    if is_lazy(t):
        t._array = by._array
        return
    t._array = by._array
    t._storage = by._storage

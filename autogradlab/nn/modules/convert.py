"""What a Module does to all its tensors: dtype, device, training mode, requires_grad, zero_grad, apply."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from ...autograd.grad_mode import no_grad
from ...core.backward.leaves import clear
from ...core.memory.absent import NO_DATA
from ...core.recording.record import TENSORS
from ...core.tensor.swapping import swap_tensors
from ...core.tensor.tensor import Tensor
from ...ops.first.memory import parse_to
from ..parameter import Parameter

__all__ = ["CONVERSION", "Convert"]

_REPLICA = (
    "Calling .zero_grad() from a module created with nn.DataParallel() has no effect. The parameters are copied (in a "
    "differentiable manner) from the original module. This means they are not leaf nodes in autograd and so don't "
    "accumulate gradients. If you need gradients in your forward method, consider using autograd.grad instead."
)


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
    _get_name: Callable[[], str]

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Any:
        if recurse:
            for module in self.children():
                module._apply(fn)
        for name, param in self._parameters.items():
            if param is None:
                continue
            grad = param._grad
            with no_grad():
                made = fn(param)
                with_grad = None if grad is None else fn(grad)
            if CONVERSION.swap:
                made = Parameter(made, param.requires_grad)
                try:
                    swap_tensors(param, made)
                except Exception as error:
                    raise RuntimeError(f"_apply(): Couldn't swap {self._get_name()}.{name}") from error
            elif CONVERSION.overwrite or made.device != param.device:
                param = self._parameters[name] = Parameter(made, param.requires_grad)
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
        where, wanted, waits, copy, order = parse_to(args, kwargs)
        if copy:
            raise RuntimeError(".to() does not accept copy argument")
        if wanted is not None and not (wanted.is_floating_point or wanted.is_complex):
            raise TypeError(
                f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={wanted}"
            )
        if wanted is not None and wanted.is_complex:
            warnings.warn(
                "Complex modules are a new feature under active development whose design may change, and some modules "
                "might not work as expected when using complex tensors as parameters or buffers. Please file an issue "
                "at https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml if a complex module does not "
                "work as expected.",
                stacklevel=2,
            )

        def convert(t: Any) -> Any:
            kind = wanted if t.dtype.is_floating_point or t.dtype.is_complex else None
            try:
                if order is None or t.dim() not in (4, 5):
                    return t.to(where, kind, waits)
                return t.to(where, kind, waits, memory_format=order)
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
        return self._apply(lambda t: t.to("xpu"))

    def ipu(self, device: Any = None) -> Any:
        """Refused, as by a build of PyTorch without it, unless there is nothing to move."""
        return self._apply(lambda t: t.to("ipu"))

    def mtia(self, device: Any = None) -> Any:
        """Refused, as by a build of PyTorch without it, unless there is nothing to move."""
        return self._apply(lambda t: t.to("mtia"))

    def to_empty(self, *, device: Any, recurse: bool = True) -> Any:
        """New memory with arbitrary values for all parameters and buffers."""
        return self._apply(lambda t: TENSORS.empty_like(t, device=device), recurse=recurse)

    def share_memory(self) -> Any:
        """Call share_memory_() on all tensors; give the module back."""
        return self._apply(lambda t: t.share_memory_())

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
        if getattr(self, "_is_replica", False):
            warnings.warn(_REPLICA, stacklevel=2)
        for p in self.parameters():
            clear(p, set_to_none)


def _replace(t: Tensor, by: Tensor) -> None:
    """Give a tensor other memory."""
    if by is not t:
        t.data = by

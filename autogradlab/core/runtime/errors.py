"""Messages that PyTorch gives, word for word, one named template each; `{}` fields are filled where they are raised."""

BACKWARD_TWICE = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors "
    "after calling backward."
)
MODIFIED = (
    "one of the variables needed for gradient computation has been modified by an inplace operation: [{type} {shape}]"
    "{origin} is at version {now}; expected version {then} instead.{hint}"
)
HINT_ANOMALY_OFF = (
    " Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
    "torch.autograd.set_detect_anomaly(True, check_nan=False)."
)
HINT_ANOMALY_ON = (
    " Hint: the backtrace further above shows the operation that failed to compute its gradient. The variable in "
    "question was changed in there or anywhere later. Good luck!"
)
SAVED_DETACHED = (
    "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_()."
    "This is not supported, please use out-of-place `.detach()` instead"
)

OUT_OF_MEMORY = (
    "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate "
    "{} bytes. Error code 12 (Cannot allocate memory)"
)

CAPTURED_INPLACE = (
    "During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call in-place operation "
    "(aten::{}) that would mutate a captured Tensor. This is not supported; please rewrite the function being "
    "transformed to explicitly accept the mutated Tensor(s) as inputs."
)
ROWS_ITEM = (
    "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a Tensor, "
    "please try to rewrite what you're doing with other operations. If error is occurring somewhere inside PyTorch "
    "internals, please file a bug report."
)
ROWS_BRANCH = (
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't support that "
    "yet, please file an issue at https://github.com/pytorch/pytorch/issues ."
)
ROWS_NUMBER = (
    "vmap: It looks like you're either (1) calling .item() on a Tensor or (2) attempting to use a Tensor in some "
    "data-dependent control flow or (3) encountering this error in PyTorch internals. For (1): we don't support vmap "
    "over calling .item() on a Tensor, please try to rewrite what you're doing with other operations. For (2): we "
    "don't support data-dependent control flow in vmap yet, please file an issue at "
    "https://github.com/pytorch/pytorch/issues . For (3): please file an issue."
)
ROWS_MASK = (
    "vmap: We do not support batching operators that can support dynamic shape. Attempting to batch over indexing with "
    "a boolean mask."
)
ROWS_RANDOM = (
    "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' "
    "randomness flags on vmap or perform the randomness operation out of vmap"
)
ROWS_RANDOM_NEVER = (
    "vmap: We do not yet support calling random operations inside of vmap. Please perform random operations outside of "
    "vmap as a workaround"
)
ROWS_RANDOM_PLAIN = (
    "vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will appear like same randomness. "
    "If this is necessary for your usage, please file an issue with functorch."
)
ROWS_RANDOM_SAME = (
    "Vmap does not currently support same randomness with a batched tensor input. Please file an issue with functorch"
)
ROWS_DYNAMIC = (
    "vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over aten::{}. Please "
    "file an issue at https://github.com/pytorch/pytorch/issues if you need this feature."
)
ROWS_RANDOM_OUT = (
    "vmap: We do not support calling out variants of random operations inside of vmap. Please use non-out variants as "
    "a workaround"
)
ROWS_RRELU = "vmap: we do not yet support aten::rrelu. Please file an issue"
ROWS_NO_FALLBACK = "Batching rule not implemented for aten::{}. We could not generate a fallback."
ROWS_ALLCLOSE = (
    "vmap over torch.allclose isn't supported yet. Please file an issue at https://github.com/pytorch/pytorch/issues "
    "if you need this feature."
)
ROWS_ONE_HOT = "When vmap-ing torch.nn.functional.one_hot, please provide an explicit positive num_classes argument."
ROWS_CLONE = (
    "NYI: Tensor.clone(memory_format) inside vmap is only supported with memory_format torch.preserve_format or "
    "torch.contiguous_format (got {})"
)
ROWS_FORMAT = "NYI: querying is_contiguous inside of vmap for memory_format other than torch.contiguous_format"
ROWS_SHAPES = (
    "Shape mismatch: Got incorrect dims for {}(a, b). a has dim {}and b has dim {}but expected them to have dim {} and "
    "dim {}"
)
ROWS_DOT = "Got wrong shapes for dot"
ROWS_SQUEEZE = "Dimension is out of range (expected to be in range of [{}, {}], but got {}"
ROWS_STRIDES = (
    "Tensor.as_strided(size, stride, ...): size and stride must have the same length! Got size {} and stride {}"
)
ROWS_STRIDED = (
    "result = tensor.as_strided({}, {}, {}) can access memory outside of `tensor`. {}This is not supported inside of "
    "vmap, please try to rewrite the `as_strided` call as a sequence of PyTorch view operations"
)
ROWS_STATISTICS = (
    "Batch norm got a batched tensor as input while the running_mean or running_var, which will be updated in place, "
    "were not batched.\nIf you are using a module and do not need eval mode, please set `track_running_stats` to be "
    "False.If you are using a prebuilt module and do not need eval mode, please see the functorch website for "
    "resources on how to patch your module to work with vmap"
)
ROWS_PERFORMANCE = (
    "There is a performance drop because we have not yet implemented the batching rule for aten::{}. Please file us an "
    "issue on GitHub so that we can prioritize its implementation."
)
WITHIN_SAVED_HOOKS = (
    "torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks. Please open an issue with your use "
    "case."
)
STACK_SIZES = "stack expects each tensor to be equal size, but got {} at entry 0 and {} at entry {}"
ROWS_SELECTED = (
    "vmap: Attempted to vmap over `mask` in torch.masked_select(self, mask) We cannot support this because for each "
    "batch this would return a differently shaped Tensor. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues if you need this feature."
)
FOLDED = (  # `linearize` in PyTorch folds constants of a graph
    "Attempted to insert a get_attr Node with no underlying reference in the owning GraphModule! Call "
    "GraphModule.add_submodule to add the necessary submodule, GraphModule.add_parameter to add the necessary "
    "Parameter, or nn.Module.register_buffer to add the necessary buffer"
)
FORWARDLESS_FALLBACK = "Trying to use forward AD with aten::{} that does not support it."
FORWARDLESS_IN_PLACE = (
    "Trying to use forward AD with {} that does not support it because it has not been implemented yet.\nPlease file "
    "an issue to PyTorch at https://github.com/pytorch/pytorch/issues/new?template=feature-request.yml so that we can "
    "prioritize its implementation"
)
FORWARDLESS = FORWARDLESS_IN_PLACE + " or submit a PR adding the implementation to derivatives.yaml"
NOT_DIFFERENTIABLE = (
    "The function '{}' is not differentiable with respect to argument '{}'. This input cannot have requires_grad True."
)
ROWS_VIEW = "Batching rule not implemented for aten::{}; the fallback path doesn't work on out= or view ops."
WITHIN_REQUIRES_GRAD = (
    "You are attempting to call Tensor.requires_grad_() (or perhaps using torch.autograd.functional.* APIs) inside of "
    "a function being transformed by a functorch transform. This is unsupported, please attempt to use the functorch "
    "transforms (e.g. grad, vjp, jacrev, jacfwd, hessian) or call requires_grad_() outside of a function being "
    "transformed instead."
)
WITHIN_RETAIN_GRAD = (
    "You are attempting to call Tensor.retain_grad() inside of a function being transformed by a functorch transform. "
    "This is unsupported, please attempt to use the functorch transforms (e.g. grad, vjp, jacrev, jacfwd, hessian) or "
    "call retain_grad() outside of a function being transformed instead."
)
WITHIN_BACKWARD = (
    "backward() called inside a functorch transform. This is not supported, please use functorch.grad or functorch.vjp "
    "instead or call backward() outside of functorch transforms."
)
ROWS_ESCAPED = (
    "Either your tensor may have escaped from inside a function being vmapped and this is a user error (see "
    "https://pytorch.org/functorch/stable/ux_limitations.html), or there is an internal functorch error in `{}` Please "
    "file an issue if it looks like the latter"
)
ROWS_POINTER = "Cannot access data pointer of Tensor that doesn't have storage"
ROWS_INPLACE = (
    "vmap: {0}(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args "
    "that has more elements than `self`. This happened due to `other` being vmapped over but `self` not being vmapped "
    "over {1}. Please try to use out-of-place operators instead of {0}. If said operator is being called "
    "inside the PyTorch framework, please file a bug report instead."
)
VOLATILE = "volatile was removed and now has no effect. Use `with torch.no_grad():` instead."
LEAF_INPLACE = "a leaf Variable that requires grad is being used in an in-place operation."
LEAF_MOVED = "leaf variable has been moved into the graph interior"
LEAF_VIEW_INPLACE = "a view of a leaf Variable that requires grad is being used in an in-place operation."
VIEW_NO_GRAD = " created in no_grad mode and {} modified inplace with grad mode enabled."
VIEW_INFERENCE = " created in inference mode and {} modified inplace in normal mode."
_AMBIGUOUS = (
    " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving "
    "both the view and the inplace either both inside the {0} block (if you don't want the inplace to be tracked) or "
    "both outside (if you want the inplace to be tracked)."
)
#: why a view must not be changed, by the way in which it was made
NO_ROOM = (
    "Expected {} (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, but got: {}"
)
VIEW_WHY = {
    "no_grad": _AMBIGUOUS.format("no_grad"),
    "inference": _AMBIGUOUS.format("inference_mode"),
    "multi_output": " This view is the output of a function that returns multiple views. Such functions do not allow "
    "the output views to be modified inplace. You should replace the inplace operation by an out-of-place one.",
    "custom": " This view was created inside a custom Function (or because an input was returned as-is) and the "
    "autograd logic to handle view+inplace would override the custom backward associated with the custom Function, "
    "leading to incorrect gradients. This behavior is forbidden. You can fix this by cloning the output of the "
    "custom Function.",
}
DETACH_VIEW = (
    "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for training, "
    "and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence detach_() cannot be "
    "called on these gradients. To fix this error, please refer to the Optimizer.zero_grad() function in "
    "torch/optim/optimizer.py as the solution."
)

INFERENCE_VERSION = "Inference tensors do not track version counter."
INFERENCE_SAVED = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
    "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in "
    "autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`."
)
INFERENCE_INPLACE = (
    "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal "
    "tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details."
)
INFERENCE_REQUIRES_GRAD = "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed."

REQUIRES_GRAD_BOOL = "requires_grad must be a bool"
REQUIRES_GRAD_LEAF = "you can only change requires_grad flags of leaf variables."
REQUIRES_GRAD_DETACH = (
    REQUIRES_GRAD_LEAF
    + " If you want to use a computed variable in a subgraph that doesn't require differentiation use "
    "var_no_grad = var.detach()."
)
REQUIRES_GRAD_FLOAT = "only Tensors of floating point and complex dtype can require gradients"
REQUIRES_GRAD_FLOAT_METHOD = "only Tensors of floating point dtype can require gradients"
REQUIRES_GRAD_FLOAT_NEW = "Only Tensors of floating point and complex dtype can require gradients"

GRAD_OF_NON_LEAF = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
    "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, "
    "use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access "
    "the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information."
)
GRAD_TYPE = "assigned grad expected to be a Tensor or None but got grad of type {}"
GRAD_DEVICE = (
    "attempting to assign a gradient with device type '{}' to a tensor with device type '{}'. Please ensure that the "
    "gradient and the tensor are on the same device"
)
GRAD_OWN = "can't assign Variable as its own grad"
GRAD_SIZE = (
    "attempting to assign a gradient of size '{}' to a tensor of size '{}'. Please ensure that the gradient and the "
    "tensor are the same size"
)
GRAD_DTYPE = (
    "attempting to assign a gradient with dtype '{}' to a tensor with grad_dtype '{}'. The gradient must match the "
    "tensor's grad_dtype (defaults to the tensor's dtype). You can set the tensor's grad_dtype attribute with a "
    "specific dtype, or None to allow any dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor and "
    "its gradient may break downstream systems that assume they match."
)
DIRTY_NO_INPUT = (
    "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated should be "
    "passed to ctx.mark_dirty()."
)
GRAD_DTYPE_LEAF = "grad_dtype can only be {} on leaf tensors."
GRAD_DTYPE_LATE = (
    "Cannot set grad_dtype to '{}' because there is already a gradient with dtype '{}'. Please clear the gradient "
    "(.grad = None) before changing grad_dtype, or ensure the new grad_dtype matches the existing gradient's dtype."
)
DATA_TYPE = "Variable data has to be a tensor, but got {}"
DATA_ROWS = "{} under vmap transform is not allowed"
DATA_DEVICE = (
    "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have incompatible tensor type."
)
DATA_FLOAT = "data set to a tensor that requires gradients must be floating point or complex dtype"
DATA_DELETE = "Deleting tensor data is not allowed. Delete tensor instead!"

HOOK_NO_GRAD = "cannot register a hook on a tensor that doesn't require gradient"
POST_HOOK_NO_GRAD = "cannot register a hook on a tensor that doesn't require gradient"
POST_HOOK_NON_LEAF = "post accumulate grad hooks cannot be registered on non-leaf tensors"
RETAIN_NO_GRAD = "can't retain_grad on Tensor that has requires_grad=False"

NO_GRAD_FN = "element {} of tensors does not require grad and does not have a grad_fn"
NO_GRADIENT_EDGE = "It is not possible to get the gradient edge for a Tensor that does not require gradients"
GRAD_IMPLICIT = "grad can be implicitly created only for scalar outputs"
GRAD_IMPLICIT_REAL = "grad can be implicitly created only for real scalar outputs but got {}"
UNUSED = (
    "The differentiated Tensor at index {} appears to not have been used in the graph. Set allow_unused=True if this "
    "is the desired behavior."
)
CREATE_GRAPH_CYCLE = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient "
    "which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you "
    "have to use this function, make sure to reset the .grad fields of your parameters to None after use to break "
    "the cycle and avoid the leak."
)

BROADCAST = "The size of tensor a ({}) must match the size of tensor b ({}) at non-singleton dimension {}"
OUT_BROADCAST = "output with shape {} doesn't match the broadcast shape {}"
CAST = "result type {} can't be cast to the desired output type {}"
OUT_GRAD = (
    "{}(): functions with out=... arguments don't support automatic differentiation, but one of the arguments requires "
    "grad."
)
OUT_TANGENT = "Trying to use forward AD with {}_out that does not support it because it is an out= function"
OUT_RESIZED = (
    "An output with one or more elements was resized since it had shape {}, which does not match the required output "
    "shape {}. This behavior is deprecated, and in a future PyTorch release outputs will not be resized unless they "
    "have zero elements. You can explicitly reuse an out tensor t by resizing it, inplace, to zero elements with "
    "t.resize_(0)."
)
DIM_RANGE = "Dimension out of range (expected to be in range of [{}, {}], but got {})"
LONG_OVERFLOW = "Overflow when unpacking long long"
DIM_SCALAR = "Dimension specified as {} but tensor has no dimensions"

PACK_INPLACE = (
    "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot be "
    "modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if you need "
    "to perform in-place operations on the input to a pack hook."
)
REGISTER_FREED = (
    "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the graph are "
    "freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through "
    "the graph a second time or if you need to access saved variables after calling backward."
)
REGISTER_HOOKS = (
    "register_hooks(): incompatible function arguments. The following argument types are supported:\n"
    "    1. (self: torch._C._autograd.SavedTensor, arg0: collections.abc.Callable, arg1: "
    "collections.abc.Callable) -> None\n\n"
    "Invoked with: {}"
)
SAVED_CONSTRUCTOR = (
    "__init__(): incompatible constructor arguments. The following argument types are supported:\n"
    "    1. torch._C._autograd.SavedTensor()\n\n"
    "Invoked with: {}"
)
SAVED_UNPACK = (
    "unpack(): incompatible function arguments. The following argument types are supported:\n"
    "    1. (self: torch._C._autograd.SavedTensor) -> torch.Tensor\n\n"
    "Invoked with: {}"
)
BOOL_SUB_ONE = (
    "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the "
    "`~` or `logical_not()` operator instead."
)
BOOL_SUB_BOTH = (
    "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator "
    "instead."
)
CONDITION = (
    "Expected {} to be true, but got false.  (Could this error message be improved?  If so, please report an "
    "enhancement request to PyTorch.)"
)
WRITTEN_INPUT = (
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory "
    "location. Please clone() the tensor before performing the operation."
)
WRITTEN_SHARED = (
    "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
    "Please clone() the tensor before performing the operation."
)

"""Element types, the old type classes and conversions."""

import torch

from tests.scenarios.show import caught

# % dtype-01-table: dtype, alias, class, size of an element
rows = (
    (torch.float32, torch.float, torch.FloatTensor),
    (torch.float64, torch.double, torch.DoubleTensor),
    (torch.float16, torch.half, torch.HalfTensor),
    (torch.uint8, torch.uint8, torch.ByteTensor),
    (torch.int8, torch.int8, torch.CharTensor),
    (torch.int16, torch.short, torch.ShortTensor),
    (torch.int32, torch.int, torch.IntTensor),
    (torch.int64, torch.long, torch.LongTensor),
    (torch.bool, torch.bool, torch.BoolTensor),
)
for dtype, alias, old_class in rows:
    t = old_class([0, 1, 2])
    print(dtype, alias is dtype, t.dtype == dtype, t.type(), t.element_size(), t.is_floating_point(), t)
t = torch.zeros(2)
print(isinstance(t, torch.FloatTensor), isinstance(t, torch.IntTensor), torch.zeros(2, dtype=torch.int16).type())
print(torch.FloatTensor(2, 3).shape, torch.LongTensor(2).dtype)

# % dtype-02-gpu-classes: they exist, and cannot be used here
for name in ("Float", "Double", "Half", "Byte", "Char", "Short", "Int", "Long", "Bool"):
    print(name, hasattr(torch.cuda, name + "Tensor"))
with caught():
    torch.cuda.FloatTensor(2, 3)

# % dtype-03-set-default-tensor-type: a deprecated call, then int() and new()
torch.set_default_tensor_type("torch.FloatTensor")
a = torch.Tensor(2, 3)
whole, fresh = a.int(), a.new(2, 3)
for t in (a, whole, fresh):
    print(t.shape, t.dtype, t.type())

# % dtype-04-int-conversion: int() cuts towards zero
tiny = torch.Tensor([[1.0561e-38, 1.0653e-38, 9.1837e-39], [8.4490e-39, 8.7245e-39, 1.0102e-38]])
print(tiny.int(), tiny.type(), tiny.int().type())
print(torch.Tensor([1.9, -1.9, 0.5, -0.5]).int())


# % dtype-05-default-type-changes-constructors: Tensor, tensor, zeros and rand follow the default
def defaults():
    return [
        torch.Tensor(2).dtype,
        torch.tensor([1.0]).dtype,
        torch.zeros(2).dtype,
        torch.rand(2).dtype,
        torch.get_default_dtype(),
    ]


print(defaults())
torch.set_default_tensor_type("torch.DoubleTensor")
torch.set_default_tensor_type("torch.DoubleTensor")  # warned once already
print(defaults())
print(torch.tensor([1.0, 2.0]), torch.tensor([1, 2]).dtype, torch.arange(3.0).dtype)
torch.set_default_tensor_type(torch.FloatTensor)
print(defaults())
torch.set_default_dtype(torch.float64)  # what replaces it
print(defaults())
torch.set_default_dtype(torch.float32)
for wrong in ("torch.IntTensor", "FloatTensor", "torch.NoTensor"):
    with caught(wrong):
        torch.set_default_tensor_type(wrong)

# % dtype-06-default-cuda-type: a GPU type cannot be the default here
with caught():
    torch.set_default_tensor_type("torch.cuda.FloatTensor")
print(torch.Tensor(2, 3).device, torch.get_default_dtype())

# % dtype-07-memory-of-a-billion-floats: four bytes each
shape_only = torch.zeros(1).expand(1000, 1000, 1000)
print(shape_only.type(), shape_only.numel(), shape_only.element_size(), shape_only.numel() * shape_only.element_size())
print(
    torch.zeros(1).half().element_size(), torch.zeros(1).double().element_size(), shape_only.untyped_storage().nbytes()
)

# % dtype-08-half: half the bytes, a small range, few digits
full = torch.ones(4, 5)
half = full.half()
print(half.type(), half.dtype, full.numel() * full.element_size(), half.numel() * half.element_size())
print(torch.tensor([65504.0, 65519.0, 65520.0, 70000.0, -1e6]).half())
print(torch.tensor([1.0, 1.0004, 1.001, 2049.0]).half().float())
print(torch.tensor([1e-8, 6e-8]).half())
large = torch.tensor([300.0]).half()
print(large, large * large)

# % dtype-09-new: a.new(...) is torch.Tensor(...) for the type of a
for old_class in (
    torch.FloatTensor,
    torch.DoubleTensor,
    torch.IntTensor,
    torch.LongTensor,
    torch.HalfTensor,
    torch.ByteTensor,
):
    a = old_class(2)
    print(a.type(), a.new(2, 3).type(), a.new(2, 3).shape, a.new([1, 2]))
a = torch.IntTensor([7, 8])
print(a.new().shape, a.new(a.size()).shape, a.new(a), a.new(a).data_ptr() == a.data_ptr(), a.new((4, 5)))
print(a.new_zeros(2, 3), a.new_ones(2), a.new_full((2,), 9), a.new_tensor([1, 2]), a.new_empty(2).shape)

# % dtype-10-conversions: one method for each type, type() and to()
a = torch.Tensor([0.0, 1.5, 200.0])
for name in ("float", "double", "half", "byte", "short", "int", "long", "bool"):
    converted = getattr(a, name)()
    print(name, converted.type(), converted.tolist(), converted is a)
print(torch.Tensor([0.0, 1.5, 100.0]).char())
print([a.type(kind).dtype for kind in ("torch.DoubleTensor", torch.IntTensor, torch.long)])
print(a.to(torch.int16).dtype, a.type_as(torch.IntTensor([1])).dtype, a.type())

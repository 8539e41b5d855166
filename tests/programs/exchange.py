"""Numbers and memory that come from NumPy and other array libraries."""

import io
import os
import pickle
import re
import tempfile
import types
import warnings
import zipfile
from array import array

import numpy as np
import torch

from tests.scenarios.show import attempt

warnings.simplefilter("error", np.exceptions.ComplexWarning)
BOOL, BRIEF, WIDE, LONG, HALF = np.bool_(True), np.complex64(3), np.complex128(3 + 2j), np.uint64(3), np.float16(1.5)
OPERANDS = [torch.tensor([1.0, 2.0]), torch.tensor([1, 2]), torch.tensor([True, False]), torch.tensor([1j, 2])]

# % exchange-numbers: a bool of NumPy's counts as a float, and of short complex numbers the real part
for number in (BOOL, WIDE, LONG, HALF):
    for t in OPERANDS:
        print(torch.result_type(t, number), t * number, number * t, t == number)
        attempt(lambda t=t, number=number: t.clone().fill_(number))
        attempt(lambda t=t, number=number: torch.add(t, t, alpha=number))
        attempt(lambda t=t, number=number: t & number)
        attempt(lambda t=t, number=number: t.clone().mul_(number))
print(torch.full((2,), BOOL), torch.arange(BOOL), torch.full((2,), LONG), torch.where(OPERANDS[2], OPERANDS[1], BOOL))
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    for t in OPERANDS:
        print(t * BRIEF, BRIEF + t, t == BRIEF, t.clone().fill_(np.complex64(3 + 2j)), torch.result_type(t, BRIEF))
attempt(lambda: OPERANDS[0] * BRIEF)

# % exchange-data: and what tensors are made of them
for number in (BOOL, BRIEF, WIDE, LONG, HALF, np.float64(1.5), np.int8(3), np.longdouble(2), np.datetime64("2020")):
    for dtype in (None, torch.bool, torch.int64, torch.float32, torch.uint64):
        if dtype is not torch.float32 or not isinstance(number, np.complexfloating | np.datetime64):
            attempt(lambda number=number, dtype=dtype: torch.tensor(number, dtype=dtype))
            attempt(lambda number=number, dtype=dtype: torch.tensor([number], dtype=dtype))
attempt(lambda: torch.tensor(np.str_("a")))
attempt(lambda: torch.tensor(1.5, dtype=torch.uint64))
attempt(lambda: torch.Size([HALF]))
attempt(lambda: OPERANDS[1][1 << 63])
attempt(lambda: OPERANDS[1].__setitem__(1 << 63, 0))

# % exchange-capsules: DLPack
x, brief = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([1.0, 2.0]).bfloat16()


class Lender:
    """An object that lends a tensor's memory and does not know some options."""

    def __init__(self, tensor, *unknown):
        self.tensor, self.unknown = tensor, unknown

    def __dlpack__(self, **options):
        print(sorted(options))
        if set(options) & set(self.unknown):
            raise TypeError("unknown")
        return self.tensor.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()


print(torch.tensor(Lender(brief)), torch.asarray(Lender(brief)), torch.from_dlpack(Lender(x, "max_version")))
for copy in (None, False, True):
    for unknown in ((), ("max_version", "copy"), ("copy", "max_version", "dl_device")):
        made = torch.from_dlpack(Lender(x, *unknown), copy=copy, device="cpu")
        print(copy, made.data_ptr() == x.data_ptr(), torch.from_dlpack(x, copy=copy).data_ptr() == x.data_ptr())
for options in (
    {"max_version": (0, 8)},
    {"max_version": (2, 0)},
    {"max_version": 1},
    {"copy": 3},
    {"dl_device": (1, 0)},
    {"dl_device": 1},
    {"dl_device": (1,)},
    {"dl_device": (16, 0)},
):
    attempt(lambda options=options: repr(x.__dlpack__(**options)).split(" at ")[0])
meta = torch.ones(2, device="meta")
for fn in (meta.__dlpack__, meta.__dlpack_device__, lambda: torch.from_dlpack(meta), x.__dlpack_device__):
    attempt(fn)
attempt(lambda: torch.from_dlpack(x, device=3))
attempt(lambda: torch.from_dlpack(x, device="meta"))
attempt(lambda: torch.from_dlpack(x.__dlpack__(), copy=True))
tail = torch.from_dlpack(torch.arange(6.0)[2:])
print(
    tail.storage_offset(), tail, torch.from_dlpack(torch.rand(16)[::3][:1]).stride(), torch.utils.dlpack.DLDeviceType(2)
)

# % exchange-streams: files of the old format follow one another, and are not mapped
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "file")
    with open(path, "wb") as f:
        for n in range(3):
            pickle.dump(n, f)
            torch.save(torch.full((2,), n), f, _use_new_zipfile_serialization=False)
    with open(path, "rb") as f:
        print([(pickle.load(f), torch.load(f)) for _ in range(3)], f.read())
    torch.save(torch.ones(2), path, _use_new_zipfile_serialization=False)
    try:
        torch.load(path, mmap=True)
    except RuntimeError as error:
        print(str(error).replace(path, "PATH"))
for only in (None, True, False):
    attempt(lambda only=only: torch.load(io.BytesIO(), weights_only=only))


# % places-and-settings: where memory lies, what files are said to be, names that are not allowed
S = torch.serialization
memory = torch.ones(2).untyped_storage()
for word in ("cpu", "cuda:0", "mps", "meta", "hpu", "xpu", "mtia", "foo", None):
    attempt(lambda: print(word, S.default_restore_location(memory, word).device))
print(S.location_tag(memory), S.location_tag(torch.ones(2)), S.location_tag(torch.ones(2, device="meta")))
print([entry[0] for entry in S._package_registry], S.MAGIC_NUMBER, S.PROTOCOL_VERSION)
heard = []
S.register_package(
    1, lambda m: "far" if m.nbytes() == 16 else None, lambda m, w: heard.append(w) or (m if w == "far" else None)
)
file = io.BytesIO()
torch.save([torch.ones(4), torch.ones(2)], file)
for where in (None, "cpu", {"far": "cpu"}, lambda m, w: None):
    file.seek(0)
    print(torch.load(file, map_location=where), heard)
    heard.clear()
S._package_registry.pop(0)
file.seek(0)
attempt(lambda: torch.load(file))
print(S.get_crc32_options(), S.set_crc32_options(False), S.get_crc32_options(), S.set_crc32_options(True))
with S.set_default_mmap_options(1):
    print(S.get_default_mmap_options())
print(S.get_default_mmap_options())
attempt(lambda: S.set_default_mmap_options(7))
file = io.BytesIO()
with S.skip_data(materialize_fake_tensors=False):
    torch.save({"a": torch.arange(3.0), "b": torch.ones(2, dtype=torch.int64)}, file)
    attempt(lambda: torch.save(torch.ones(1), io.BytesIO(), _use_new_zipfile_serialization=False))
file.seek(0)
print(torch.load(file))
file = io.BytesIO()
torch.save([torch.nn.Linear(1, 1), torch.nn.Parameter(torch.ones(1)), {"a": torch.float32}], file)
file.seek(0)
print(S.get_unsafe_globals_in_checkpoint(file))
with S.safe_globals([torch.nn.Linear]):
    file.seek(0)
    print(S.get_unsafe_globals_in_checkpoint(file))
attempt(lambda: S.get_unsafe_globals_in_checkpoint(io.BytesIO(b"abc")))
attempt(lambda: S.get_unsafe_globals_in_checkpoint(3))
print(S.check_module_version_greater_or_equal(np, (1, 2)), S.check_module_version_greater_or_equal(np, (99,)))
attempt(lambda: S.validate_cuda_device("cuda"))
attempt(lambda: S.validate_hpu_device("hpu"))

# % exchange-read-only: what is written through a tensor to an array that NumPy does not let one write to
frozen = np.arange(6.0).reshape(2, 3)
frozen.flags.writeable = False
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    t = torch.from_numpy(frozen)
    t[0, 0] = 5
    t.add_(1)
    print(frozen, t.numpy().flags.writeable, frozen.flags.writeable, t.stride())
    part = torch.from_numpy(frozen[:, 1:].T)
    part.mul_(2)
    print(frozen, t, part, part.stride(), part.untyped_storage().nbytes(), part.data_ptr() - t.data_ptr())
    print(torch.as_tensor(frozen).data_ptr() == t.data_ptr(), torch.tensor(frozen).data_ptr() == t.data_ptr())
    spread = torch.from_numpy(np.broadcast_to(np.float32(1), (3,)))
    spread[0] = 7
    print(spread, spread.stride())
    scalar = np.array(1j)
    scalar.flags.writeable = False
    print(torch.from_numpy(scalar).mul_(2), scalar)
    letters = bytes([1, 2, 3, 4])
    m = torch.frombuffer(letters, dtype=torch.uint8)
    m[1] = 9
    print(m, letters[1])


# % exchange-files: objects that a file may hold, what it is refused for, and what is said of it
def stored(x, **options):
    file = io.BytesIO()
    torch.save(x, file, **options)
    return file.getvalue()


def again(x, weights_only=False, **options):
    return torch.load(io.BytesIO(stored(x, **options)), weights_only=weights_only)


def brief(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            print(call())
        except (RuntimeError, TypeError, ValueError, pickle.UnpicklingError) as error:
            print(type(error).__name__, str(error).split("WeightsUnpickler error: ")[-1][:120])
    for one in caught:
        print(one.category.__name__, str(one.message)[:60])


for x in (
    Ellipsis,
    NotImplemented,
    type(None),
    ValueError("a"),
    types.SimpleNamespace(a=1),
    re.compile("a"),
    array("i", [1]),
):
    for old in (False, True):
        print(again(x, _use_new_zipfile_serialization=not old), end=" ")
generator = torch.Generator().manual_seed(3)
print(torch.rand(2, generator=generator), torch.rand(2, generator=again({"g": generator})["g"]))
print(torch.rand(2, generator=generator), again(np.random.RandomState(0)).rand())
brief(lambda: again(ValueError, weights_only=True))
brief(lambda: again(generator, weights_only=True))
brief(lambda: stored(1, pickle_protocol=99))
brief(lambda: again(torch.ones(1), _disable_byteorder_record=True))
for version in ("3", "99"):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a/data.pkl", pickle.dumps(1))
        archive.writestr("a/version", version)
    brief(lambda: torch.load(io.BytesIO(file.getvalue())))


# % exchange-arrays: of arrays of other kinds the memory counts
class Array(np.ndarray):
    pass


class Lender:
    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack__(self, **options):
        return self.tensor.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()


masked = np.ma.array([1.0, 2.0, 3.0], mask=[False, True, False])
t = torch.from_numpy(masked)
t[0] = 9
print(t, masked, torch.tensor(masked), torch.as_tensor(masked), torch.asarray(masked), type(t.numpy()).__name__)
print(torch.from_numpy(np.matrix([[1, 2]])), torch.from_numpy(np.arange(4.0).view(Array)[::2]).stride())
whole = array("i", [1, 2])
print(torch.asarray(whole), torch.asarray(whole, dtype=torch.int32), torch.as_tensor(whole), torch.tensor(whole))
torch.asarray(whole, dtype=torch.int32)[0] = 7
print(whole)
attempt(lambda: torch.asarray(array("b", [1])))
attempt(lambda: torch.asarray(array("b")))
x = torch.arange(3.0)
for made in (torch.tensor, torch.as_tensor, torch.asarray):
    y, z = made(Lender(x)), made(Lender(x), dtype=torch.int8)
    print(y, y.data_ptr() == x.data_ptr(), z)
print(torch.as_tensor(Lender(x), device="meta").shape)

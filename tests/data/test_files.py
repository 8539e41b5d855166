"""Files: PyTorch reads what is saved here and the other way round;
damaged and hostile ones give one error and run nothing."""

from __future__ import annotations

import argparse
import datetime
import enum
import errno
import importlib
import io
import os
import pathlib
import pickle
import random
import subprocess
import sys
import types
import zipfile
from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any

import numpy
import pytest

import autogradlab
from tests.conftest import need


def everything(torch: Any) -> dict[str, Any]:
    """All that a file may hold, from a model after one step."""
    torch.manual_seed(0)
    x = torch.arange(6.0).view(2, 3)
    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    model(torch.ones(4, 2)).sum().backward()
    optimizer.step()
    kinds = ("int8", "bool", "complex64", "float16", "float64", "uint8", "uint16", "int32")
    return {
        "tensor": x,
        "shared": [x, x[1], x.t()],
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "plain": [
            1,
            -5,
            300,
            2**40,
            -(2**70),
            1.5,
            float("inf"),
            None,
            True,
            "ü",
            b"\x00\xff",
            bytearray(b"a"),
            1j,
            {1},
            (),
        ],
        "tuples": [(1,), (1, 2), (1, 2, 3), (1, 2, 3, (4,))],
        "types": [x.shape, torch.float32, torch.device("cpu"), torch.strided],
        "parameter": model[0].weight,
        "dtypes": [torch.ones(2, dtype=getattr(torch, kind)) for kind in kinds],
        "shapes": [torch.empty(0, 3), torch.tensor(3), torch.ones(1).expand(5), torch.ones(1, requires_grad=True)],
        "containers": [OrderedDict(a=1), Counter("aab")],
    }


def saved(torch: Any, obj: Any, **options: Any) -> bytes:
    buffer = io.BytesIO()
    torch.save(obj, buffer, **options)
    return buffer.getvalue()


def loaded(torch: Any, content: bytes, **options: Any) -> Any:
    return torch.load(io.BytesIO(content), **options)


def test_what_is_saved_comes_back(tmp_path: Any):
    given = everything(autogradlab)
    autogradlab.save(given, tmp_path / "f.pt")
    found: Any = autogradlab.load(tmp_path / "f.pt")
    assert repr(found) == repr(given)
    found["shared"][0][1, 0] = 50
    assert found["tensor"][1, 0] == found["shared"][1][0] == found["shared"][2][0, 1] == 50
    assert given["tensor"][1, 0] == 3
    assert found["shared"][2].stride() == (1, 3)
    assert found["model"]._metadata == given["model"]._metadata


@pytest.mark.parity
def test_pytorch_reads_it_and_is_read(torch: Any):
    want = repr(loaded(torch, saved(torch, everything(torch))))
    assert repr(loaded(torch, saved(autogradlab, everything(autogradlab)), weights_only=True)) == want
    assert repr(loaded(autogradlab, saved(torch, everything(torch)))) == want


class Net(autogradlab.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.line = autogradlab.nn.Linear(1, 1)

    def forward(self, x: Any) -> Any:
        return self.line(x)


def test_a_model_comes_back_where_its_class_is_known():
    net = Net()
    content = saved(autogradlab, net)
    with pytest.raises(pickle.UnpicklingError, match=r"Unsupported global: GLOBAL .*\.Net was not an allowed global"):
        loaded(autogradlab, content)
    with autogradlab.serialization.safe_globals([Net, autogradlab.nn.Linear]):
        assert autogradlab.equal(loaded(autogradlab, content).line.weight, net.line.weight)
    assert autogradlab.serialization.get_safe_globals() == []
    again = loaded(autogradlab, content, weights_only=False)
    x = autogradlab.ones(1)
    assert (type(again), again(x).item()) == (Net, net(x).item())


@pytest.mark.parity
def test_models_of_pytorch_both_ways(torch: Any):
    for here, there in ((autogradlab, torch), (torch, autogradlab)):
        model = here.nn.Sequential(here.nn.Linear(2, 1), here.nn.ReLU(), here.nn.Dropout(0.1))
        again = loaded(there, saved(here, model), weights_only=False).eval()
        assert repr(again) == repr(model.eval())
        assert again(there.ones(1, 2)).tolist() == model(here.ones(1, 2)).tolist()


def whole_objects(lib: Any) -> dict[str, Any]:
    """Objects that programs save whole, beside Modules of layers alone."""
    nn, data, L = lib.nn, lib.utils.data, lib.optim.lr_scheduler
    prune = importlib.import_module(f"{lib.__name__}.nn.utils.prune")
    pruned = nn.Sequential(nn.Linear(3, 2), nn.ReLU())
    prune.l1_unstructured(pruned[0], "weight", 0.5)
    prune.random_structured(pruned[0], "weight", 1, dim=0)
    optimizer = lib.optim.AdamW(nn.Linear(2, 2).parameters())
    warm = L.SequentialLR(optimizer, [L.ConstantLR(optimizer, 0.1, 2), L.ExponentialLR(optimizer, 0.9)], [2])
    items = data.TensorDataset(lib.arange(3.0))
    return {
        "pruned": pruned,
        "transformer": nn.TransformerEncoder(
            nn.TransformerEncoderLayer(4, 2, 8, activation="gelu", batch_first=True), 1
        ),
        "decoder": nn.TransformerDecoderLayer(4, 2, 8, activation=nn.functional.silu),
        "layers": nn.Sequential(nn.MultiheadAttention(4, 2), nn.Fold((2, 2), 1), nn.Unfold(1), nn.ChannelShuffle(2)),
        "losses": nn.ModuleDict({"a": nn.ModuleList([nn.CrossEntropyLoss()]), "b": nn.TripletMarginWithDistanceLoss()}),
        "lists": nn.ParameterList([nn.Parameter(lib.ones(2))]),
        "average": lib.optim.swa_utils.AveragedModel(nn.Linear(2, 2)),
        "optimizer": optimizer,
        "schedules": [L.CosineAnnealingLR(optimizer, 3).state_dict(), warm.state_dict()],
        "packed": nn.utils.rnn.pack_sequence([lib.ones(3), lib.ones(2)]),
        "data": [list(data.Subset(items, [1, 2])), list(data.DataLoader(items, batch_size=2))],
        "result": lib.max(lib.ones(2, 2), 0),
        "distribution": lib.distributions.Normal(lib.tensor(0.0), lib.tensor(1.0)),
        "python": [numpy.float32(3), numpy.arange(3), datetime.date(2020, 1, 1), Counter("aba"), {1, 2}],
        "containers": [deque([1, 2]), frozenset([1]), range(3), slice(1, 2), 1 + 2j, b"x", pathlib.PurePosixPath("/a")],
        "configuration": [argparse.Namespace(lr=0.1), Way.LEFT, defaultdict(float, {"a": 1.0})],
    }


class Way(enum.Enum):
    LEFT = 1


@pytest.mark.parity
def test_whole_objects_come_back_both_ways(torch: Any):
    for here, there in ((autogradlab, torch), (torch, autogradlab), (autogradlab, autogradlab)):
        for name, made in whole_objects(here).items():
            assert repr(loaded(there, saved(here, made), weights_only=False)) == repr(made), (name, here)


def test_functions_of_the_package_come_back_as_attributes():
    nn, F = autogradlab.nn, autogradlab.nn.functional
    made = [autogradlab.relu, F.relu, F.gelu, F.cross_entropy, nn.init.zeros_, autogradlab.special.expit, nn.Linear]
    net = Net()
    net.steps = made
    again = loaded(autogradlab, saved(autogradlab, net), weights_only=False)
    assert all(one is other for one, other in zip(again.steps, made, strict=True))


@pytest.mark.parity
def test_functions_of_pytorch_are_found_here(torch: Any):
    def functions(lib: Any) -> Any:
        F = lib.nn.functional
        return [lib.relu, lib.sigmoid, F.relu, F.gelu, lib.Tensor.relu, lib.linalg.norm, lib.special.expit]

    for here, there in ((autogradlab, torch), (torch, autogradlab)):
        again = loaded(there, saved(here, functions(here)), weights_only=False)
        assert [one(there.ones(1)).tolist() for one in again] == [f(here.ones(1)).tolist() for f in functions(here)]


def test_a_class_that_is_gone_is_named():
    content = archive_of(pickled(saved(autogradlab, Net())).replace(b"\nNet\n", b"\nOld\n"))
    with pytest.raises(AttributeError, match="Can't get attribute 'Old' on <module"):
        loaded(autogradlab, content, weights_only=False)


def test_devices_are_mapped(torch: Any):
    content = saved(autogradlab, autogradlab.ones(2))
    for where in ("cpu", autogradlab.device("cpu"), {"cpu": "cpu"}, lambda storage, location: storage):
        assert loaded(autogradlab, content, map_location=where).tolist() == [1, 1]
    elsewhere = archive_of(
        pickled(content).replace(b"cpu", b"cuda:0").replace(b"X\x03\x00\x00\x00cuda", b"X\x06\x00\x00\x00cuda")
    )
    with pytest.raises(RuntimeError, match="Attempting to deserialize object on a CUDA device"):
        loaded(autogradlab, elsewhere)
    assert loaded(autogradlab, elsewhere, map_location="cpu").tolist() == [1, 1]


def test_what_maps_devices_is_torchs(torch: Any):
    def outcome(lib: Any, where: Any) -> Any:
        try:
            return loaded(lib, saved(lib, [lib.ones(2), lib.zeros(1)]), map_location=where(lib))[0].tolist()
        except Exception as error:
            return type(error).__name__, str(error).replace("autogradlab", "torch")

    for where in (
        lambda lib: None,
        lambda lib: "cpu:1",
        lambda lib: lib.device("cpu", 0),
        lambda lib: "nowhere",
        lambda lib: 3,
        lambda lib: "cuda",
        lambda lib: lib.device("cuda", 1),
        lambda lib: {"cuda:0": "cpu"},
        lambda lib: {"cpu": "cuda:1"},
        lambda lib: {"cpu": lib.device("cpu")},
        lambda lib: {"cpu": None},
        lambda lib: lambda storage, location: None,
        lambda lib: lambda storage, location: 3,
        lambda lib: lambda storage, location: lib.tensor([5.0, 6.0]).untyped_storage(),
        lambda lib: lambda storage, location: lib.tensor([float(storage.nbytes()), len(location)]).untyped_storage(),
    ):
        assert outcome(autogradlab, where) == outcome(torch, where)


def test_tensors_are_loaded_and_moved_to_meta():
    for made in (
        autogradlab.ones(2).to(device=autogradlab.device("meta"), dtype=autogradlab.float64),
        autogradlab.nn.Linear(1, 1).to("meta").weight,
        autogradlab.nn.Linear(1, 1).to_empty(device="meta").bias,
        loaded(autogradlab, saved(autogradlab, autogradlab.ones(2)), map_location="meta"),
    ):
        assert made.device.type == "meta" and made.is_meta


@pytest.mark.parity
def test_meta_tensors_go_through_files_of_pytorch_and_back():
    torch = need("torch")
    for one, other in ((torch, autogradlab), (autogradlab, torch)):
        given = one.empty(2, 3, device="meta", dtype=one.float64).t()
        found = loaded(other, saved(one, given))
        assert found.is_meta and found.stride() == (1, 3) and found.dtype is other.float64


# -- files that nobody should have written -----------------------------------------------------------------------------


def pickled(content: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return archive.read("archive/data.pkl")


def archive_of(description: bytes, compression: int = zipfile.ZIP_STORED, **records: bytes) -> bytes:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", compression) as archive:
        archive.writestr("archive/data.pkl", description)
        for name, data in {"0": autogradlab.ones(2).numpy().tobytes(), **records}.items():
            archive.writestr(f"archive/data/{name}", data)
    return body.getvalue()


@pytest.mark.parametrize(
    "call",
    [
        lambda path: (os.system, (f"touch {path}",)),
        lambda path: (open, (path, "w")),
        lambda path: (exec, (f"open('{path}', 'w')",)),
        lambda path: (subprocess.Popen, (["touch", path],)),
        lambda path: (getattr, (pathlib.Path(path), "touch")),
        lambda path: (autogradlab.save, (1, path)),
    ],
)
@pytest.mark.parametrize("options", [{}, {"weights_only": False}])
def test_a_hostile_pickle_runs_nothing(tmp_path: Any, call: Any, options: Any):
    path = str(tmp_path / "was here")

    class Hostile:
        def __reduce__(self) -> Any:
            return call(path)

    for content in (pickle.dumps(Hostile(), 2), archive_of(pickle.dumps(Hostile(), 2))):
        with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
            loaded(autogradlab, content, **options)
    assert not os.path.exists(path)


@pytest.mark.parametrize(
    "description",
    [
        b"\x80\x02c__builtin__\nset\n}X\x01\x00\x00\x00aK\x01sb.",  # attributes for a function
        b"\x80\x02ctorch\nTensor\nK\x02\x85R.",
        b"\x80\x02c__builtin__\nbytearray\nJ\xff\xff\xff\x7f\x85R.",  # two gigabytes
        b"\x80\x02X\x00\x00\x01\x00"
        + b"a" * 65536
        + b"q\x00"
        + b"c_codecs\nencode\nh\x00X\x06\x00\x00\x00latin1\x86R" * 5000
        + b".",
        b"\x80\x02" + b"(" * 100000 + b".",
        b"\x80\x02h\x05.",
        b"\x80\x02]K\x01K\x02s.",
        b"\x80\x02ctorch\ndevice\nX\x03\x00\x00\x00cqu\x85R.",
        b"\x80\x02(X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000]K\x02tQ.",
        b"\x80\x02K\x01",
        b"",
        b".",
    ],
)
def test_odd_pickles_are_refused(description: bytes):
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
        loaded(autogradlab, archive_of(description))


def test_a_compressed_archive_does_not_fill_the_memory():
    content = archive_of(pickled(saved(autogradlab, autogradlab.ones(2))), zipfile.ZIP_DEFLATED, big=bytes(10**7))
    assert len(content) < 10**5
    with pytest.raises(pickle.UnpicklingError, match="longer than the file"):
        loaded(autogradlab, content)


def test_a_tensor_stays_in_its_memory():
    description = pickled(saved(autogradlab, autogradlab.ones(2)))
    for old, new in ((b"K\x02\x85", b"K\x63\x85"), (b"K\x00K\x02\x85", b"K\x07K\x02\x85")):
        assert old in description
        with pytest.raises(pickle.UnpicklingError, match="reaches outside its memory"):
            loaded(autogradlab, archive_of(description.replace(old, new)))


@pytest.mark.filterwarnings("ignore:Detected pickle protocol")
@pytest.mark.parametrize("content", [b"abc", pickle.dumps({"a": 1}), b"garbage" * 9])
def test_foreign_files_are_refused(content: bytes):
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
        loaded(autogradlab, content)


def test_files_that_are_cut_off_say_so():
    content = saved(autogradlab, autogradlab.ones(3))
    for n, why in (
        (10, "not a ZIP archive"),
        (200, "failed finding central directory"),
        (-1, "failed finding central"),
    ):
        with pytest.raises(RuntimeError, match=f"PytorchStreamReader failed reading zip archive: {why}"):
            loaded(autogradlab, content[:n])
    old = saved(autogradlab, autogradlab.ones(3), _use_new_zipfile_serialization=False)
    with pytest.raises(RuntimeError, match=r"unexpected EOF, expected 5 more bytes\. The file might be corrupted\."):
        loaded(autogradlab, old[:-5])
    for options in ({}, {"weights_only": False}):
        with pytest.raises(RuntimeError, match="Invalid magic number; corrupt file"):
            loaded(autogradlab, pickle.dumps({"a": 1}, 2), **options)


def test_the_environment_says_what_a_load_may_make(monkeypatch: Any):
    content = saved(autogradlab, autogradlab.nn.Linear(1, 1))
    monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "1")
    with pytest.warns(UserWarning, match="forcing weights_only=False"):
        assert isinstance(loaded(autogradlab, content), autogradlab.nn.Linear)
    with pytest.raises(pickle.UnpicklingError):
        loaded(autogradlab, content, weights_only=True)
    monkeypatch.setenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "yes")
    with pytest.raises(RuntimeError, match="but both were set"):
        loaded(autogradlab, content)
    monkeypatch.delenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD")
    with pytest.raises(pickle.UnpicklingError):
        loaded(autogradlab, content, weights_only=False)


def test_an_unpickler_of_ones_own_is_asked():
    class Silent(pickle.Unpickler):
        def load(self) -> Any:
            return "nothing"

    content = saved(autogradlab, autogradlab.ones(3))
    assert loaded(autogradlab, content, pickle_module=types.SimpleNamespace(Unpickler=Silent)) == "nothing"
    assert loaded(autogradlab, content, pickle_module=pickle).shape == (3,)
    with pytest.raises(TypeError, match=r"'color' is an invalid keyword argument for Unpickler\(\)"):
        loaded(autogradlab, content, weights_only=False, color=3)
    with pytest.warns(UserWarning, match="pickle_load_args"), pytest.raises(TypeError, match="argument 'fix_imports'"):
        loaded(autogradlab, content, fix_imports=True)


@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
def test_tensors_of_the_oldest_files():
    x = autogradlab.arange(30.0).as_strided([2, 3], [9, 3], 2)

    class Old:
        def __reduce__(self) -> Any:
            return autogradlab.Tensor, (), (x.storage(), 2, (2, 3), (9, 3))

    for options in ({"weights_only": True}, {"weights_only": False}):
        read = loaded(autogradlab, saved(autogradlab, Old()), **options)
        assert read.stride() == (9, 3) and read.storage_offset() == 2 and autogradlab.equal(read, x)


def test_parts_of_a_memory_have_names_of_their_own():
    whole = b"X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x007X\x03\x00\x00\x00cpuK\x02"
    parts = [b"(%sX\x01\x00\x00\x00%dK%cK\x01\x87tQ" % (whole, 8 + at, at) for at in (0, 1)]
    start = saved(autogradlab, 0, _use_new_zipfile_serialization=False).rpartition(b"\x80\x02K\x00.")[0]
    keys = b"\x80\x02]X\x01\x00\x00\x007a."
    numbers = (2).to_bytes(8, "little") + numpy.array([1.0, 2.0], "<f4").tobytes()
    first, second = loaded(autogradlab, start + b"\x80\x02" + b"".join(parts) + b"\x86." + keys + numbers)
    assert (first[0], second[0], len(first), len(second)) == (1.0, 2.0, 1, 1)
    assert first.data_ptr() + 4 == second.data_ptr()


def test_a_file_that_fills_memory_is_asked_to():
    class Filling:
        def __init__(self, content: bytes) -> None:
            self.inner = io.BytesIO(content)
            self.seek, self.tell = self.inner.seek, self.inner.tell

        def read(self, n: int = -1) -> bytes:
            raise AssertionError("not asked to fill memory")

        def readinto(self, memory: Any) -> int:
            return self.inner.readinto(memory)

    x = autogradlab.ones(3)
    assert autogradlab.equal(autogradlab.load(Filling(saved(autogradlab, x))), x)


def test_allowed_names_that_are_none():
    content = saved(autogradlab, autogradlab.nn.Linear(1, 1))
    for odd, error, why in (
        (3, AttributeError, "__module__"),
        (("a", "b", "c"), ValueError, "tuple of length: 3"),
        ((int, 3), TypeError, "to be str"),
    ):
        with autogradlab.serialization.safe_globals([odd]), pytest.raises(error, match=why):
            loaded(autogradlab, content)


def test_an_empty_file_is_refused():
    with pytest.raises(EOFError):
        loaded(autogradlab, b"")


def test_damaged_files_give_one_error():
    rng = random.Random(0)
    content = saved(autogradlab, everything(autogradlab))
    errors = Counter()
    for _ in range(400):
        data = bytearray(content)
        if rng.random() < 0.3:
            del data[rng.randrange(len(data)) :]
        for _ in range(rng.randint(1, 4)):
            if data:
                data[rng.randrange(len(data))] = rng.randrange(256)
        try:
            loaded(autogradlab, bytes(data))
            errors["read"] += 1
        except (pickle.UnpicklingError, EOFError, RuntimeError) as error:
            errors[type(error).__name__] += 1
    assert errors["UnpicklingError"] > 100


def test_damaged_descriptions_give_one_error():
    """Where the archive's own checksums are right."""
    rng = random.Random(1)
    content = saved(autogradlab, everything(autogradlab))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        records = {n.removeprefix("archive/data/"): archive.read(n) for n in archive.namelist() if "/data/" in n}
    refused = 0
    for _ in range(400):
        data = bytearray(pickled(content))
        for _ in range(rng.randint(1, 3)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        try:
            loaded(autogradlab, archive_of(bytes(data), **records))
        except pickle.UnpicklingError:
            refused += 1
        except RuntimeError as error:  # a device that is not here, as PyTorch says it
            refused += "location" in str(error)
    assert refused > 100


# -- files that stay whole ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("at", ["os.fsync", "os.replace"])
def test_a_save_that_fails_leaves_the_old_file(tmp_path: Any, monkeypatch: Any, error: BaseException, at: str):
    path = tmp_path / "f.pt"
    autogradlab.save(autogradlab.ones(2), path)

    def fail(*args: Any) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(at, fail)
        with pytest.raises(type(error)):
            autogradlab.save(autogradlab.zeros(1000), path)
    assert [p.name for p in tmp_path.iterdir()] == ["f.pt"]
    assert autogradlab.load(path).tolist() == [1, 1]  # type: ignore[attr-defined]


def test_what_cannot_be_saved_leaves_the_old_file(tmp_path: Any):
    path = tmp_path / "f.pt"
    autogradlab.save(1, path)
    with pytest.raises(AttributeError, match="Can't pickle local object"):
        autogradlab.save(lambda: 0, path)
    assert autogradlab.load(path) == 1


def test_a_file_keeps_its_permissions_and_links(tmp_path: Any):
    path, link = tmp_path / "f.pt", tmp_path / "link.pt"
    autogradlab.save(1, path)
    path.chmod(0o640)
    link.symlink_to(path)
    autogradlab.save(2, link)
    assert (autogradlab.load(path), link.is_symlink(), path.stat().st_mode & 0o777) == (2, True, 0o640)


class Kept(autogradlab.Tensor):
    """A kind of tensor of a program."""


def test_tensors_of_a_class_of_the_program_come_back_as_such():
    x = autogradlab.ones(2).as_subclass(Kept)
    x.note = "n"
    bare = autogradlab.zeros(1).as_subclass(Kept)
    back, empty = loaded(autogradlab, saved(autogradlab, [x, bare]), weights_only=False)
    assert type(back) is type(empty) is Kept
    assert back.note == "n" and back.tolist() == [1, 1] and not vars(empty)
    with pytest.raises(pickle.UnpicklingError, match=r"Unsupported global: GLOBAL tests.data.test_files.Kept was not"):
        loaded(autogradlab, saved(autogradlab, bare))
    with autogradlab.serialization.safe_globals([Kept]):
        assert type(loaded(autogradlab, saved(autogradlab, bare))) is Kept


WITHOUT_FLAGS = """
import io, mmap
del mmap.MAP_PRIVATE, mmap.MAP_SHARED
import autogradlab as torch
file = io.BytesIO()
torch.save(torch.ones(2), file)
file.seek(0)
print(torch.load(file), torch.serialization.get_default_mmap_options())
try:
    torch.serialization.set_default_mmap_options(2)
except RuntimeError as error:
    print(error)
"""


@pytest.mark.skipif(os.name == "nt", reason="it is so there, and every other test of files says it")
def test_where_memory_cannot_be_mapped_by_flags():
    """As on Windows."""
    done = subprocess.run([sys.executable, "-c", WITHOUT_FLAGS], capture_output=True, text=True)
    assert (done.returncode, done.stdout.splitlines()) == (
        0,
        ["tensor([1., 1.]) None", "Changing the default mmap options is currently not supported for Windows"],
    ), done.stderr

"""The source of random numbers (mirrors `torch.Generator` and the module functions that seed it).

PyTorch's CPU generator is the Mersenne Twister with 32-bit outputs; NumPy has the same one, so both draw the same
words. `streams.py`, `normals.py` and `distributions.py` turn those words into numbers of every distribution.
"""

from __future__ import annotations

import os
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import length_hint
from typing import Any

import numpy as np

from ..memory.rows import refuse_draws
from ..runtime import errors, modes
from ..types.device import CPU, device
from ..types.native import Native

__all__ = [
    "STATE_SIZE",
    "Generator",
    "default_generator",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
]

Array = np.ndarray[Any, Any]

#: words that the twister makes at a time
BLOCK = 624
#: blocks that are drawn at a time at most, and numbers that are made ahead at most
_MOST_BLOCKS, _MOST_AHEAD = 16, 16384
#: numbers made at a time, so that the work arrays stay in the cache
_CHUNK = 26 * BLOCK
#: numbers that are made ahead at first where nobody knows how many are wanted
_FEWEST = 16
#: the seed of a generator that nobody has seeded
DEFAULT_SEED = 67280421310721
#: bytes of `Generator.get_state()`
STATE_SIZE = 5056

SEED_TYPE = "manual_seed expected a long, but got {}"
STATE_TYPE = "expected a torch.ByteTensor, but got {}"
STATE_DTYPE = "RNG state must be a torch.ByteTensor"
STATE_CONTIGUOUS = "RNG state must be contiguous"
STATE_LENGTH = "Expected a CPUGeneratorImplState of size {} but found the input RNG state size to be {}"
STATE_INVALID = "Invalid mt19937 state"
NO_OFFSET = "CPU Generator does not use offset"
NO_GRAPHSAFE = "{} is not supported in this Generator"
NO_CUDA = (
    "Cannot get CUDA generator without ATen_cuda library. PyTorch splits its backend into two shared libraries: a CPU "
    "library and a CUDA library; this error has occurred because you are trying to use some CUDA functionality, but "
    "the CUDA library has not been loaded by the dynamic linker for some reason.  The CUDA library MUST be loaded, "
    "EVEN IF you don't directly use any symbols from the CUDA library! One common culprit is a lack of "
    "-Wl,--no-as-needed in your link arguments; many dynamic linkers will delete dynamic library dependencies if you "
    "don't depend on any of their symbols.  You can check if this has occurred by using ldd on your binary to see if "
    "there is a dependency on *_cuda.so library."
)
NO_ACCELERATOR = "Cannot access accelerator device when none is available."
NO_DEVICE = "{} device type not an accelerator."

# How the bytes of a state are laid out; the words of the twister are kept 64 bits wide, and the normal sample kept for
# the next call stands in `next_normal`. The other fields are there for PyTorch's own history and stay zero.
_LAYOUT = np.dtype(
    {
        "names": ["seed", "left", "seeded", "next", "words", "next_normal", "has_normal"],
        "formats": ["<u8", "<i4", "<i4", "<u8", ("<u8", BLOCK), "<f8", "<i4"],
        "offsets": [0, 8, 12, 16, 24, 5024, 5040],
        "itemsize": STATE_SIZE,
    }
)
_NOTHING = np.empty(0, np.uint32)

# Constants of array arithmetic are 0-d arrays: with short arrays NumPy is twice as slow on Python or NumPy scalars.
_LOW24, _LOW21 = np.array(0xFFFFFF, np.uint32), np.array(0x1FFFFF, np.uint32)
_UNIT24, _UNIT53 = np.array(2.0**-24, np.float32), np.array(2.0**-53)
_TWO32, _SHIFT32 = np.array(2.0**32), np.array(32, np.uint64)
_FLOAT32, _FLOAT64, _UINT64 = np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.uint64)


#: the first twisters that were made, and whose they are: to make one takes thirty times as long as to seed it, so those
#: of generators that are gone serve again
_ENGINES: list[tuple[weakref.ref[Generator], Any]] = []
_MOST_ENGINES = 8


def _engine_for(generator: Generator) -> Any:
    """A twister for a generator, which seeds it before it draws."""
    for entry in _ENGINES[:]:
        owner, engine = entry
        if owner() is None:
            try:
                _ENGINES.remove(entry)
            except ValueError:  # another thread was first
                continue
            break
    else:
        from numpy.random import MT19937, RandomState

        engine = RandomState(MT19937(0))
    if len(_ENGINES) < _MOST_ENGINES:
        _ENGINES.append((weakref.ref(generator), engine))
    return engine


class Generator(metaclass=Native):
    """A stream of random numbers that can be seeded, saved and restored (mirrors `torch.Generator`).

    Errors: RuntimeError for a device that this build lacks.

    >>> import autogradlab as torch
    >>> g = torch.Generator().manual_seed(0)
    >>> torch.rand(2, generator=g)
    tensor([0.4963, 0.7682])
    """

    __slots__ = (
        "__weakref__",
        "_blocks",
        "_engine",
        "_kept",
        "_lock",
        "_pos",
        "_seed",
        "_start",
        "_torn",
        "_total",
        "_unseeded",
        "_words",
        "next_normal",
    )
    __module__ = "torch._C"

    def __init__(self, device: Any = CPU) -> None:
        _check_device(device)
        self._lock = threading.RLock()
        # NumPy's twister is made at the first draw: importing numpy.random takes longer than all the rest.
        self._engine: Any = None
        #: the normal sample that Box–Muller made beyond what was asked for, or None
        self.next_normal: float | None = None
        self._reseed(DEFAULT_SEED)

    __init__.__qualname__ = "Generator"  # as errors name it

    def _reseed(self, value: int, start: Array | None = None) -> None:
        self._seed = value
        self._start = start  # the twister's state before the first word, where it is not that of the seed
        self._unseeded = True  # the engine is seeded when words are wanted
        self._torn = False  # an interrupted draw may have moved the engine on: see `_reserve`
        self._words = _NOTHING  # drawn from the engine, in use from _pos on; they end where the engine stands
        self._pos = 0
        self._total = 0  # words drawn from the engine
        self._blocks = 1  # how many to draw the next time
        self._kept: tuple[int, int, Array] = (0, 0, _NOTHING)  # see `in_blocks`
        self.next_normal = None

    def _seed_engine(self) -> Any:
        if self._engine is None:
            self._engine = _engine_for(self)
        if self._torn and len(self._words):
            _stand(self._engine, _untempered(self._words[-BLOCK:]))
        elif self._unseeded or self._torn:
            if self._start is None:
                self._engine.seed(self._seed & 0xFFFFFFFF)
            else:
                _stand(self._engine, self._start)
        self._unseeded = self._torn = False
        return self._engine

    # -- drawing

    def _reserve(self, n: int) -> None:
        """Draw words until `n` are there; the block in use stays whole, for `get_state`."""
        if modes.LOCAL.state.mapped:
            refuse_draws()
        words = self._words
        missing = self._pos + n - len(words)
        if missing > 0:
            used = self._used()
            blocks = max(-(-missing // BLOCK), self._blocks)
            # `randint` of the same words begins in twice the time
            twister = self._seed_engine()._bit_generator
            self._torn = True
            fresh: Array = twister.random_raw(blocks * BLOCK).astype(np.uint32)
            fresh = np.concatenate((words[self._pos - used :], fresh))
            again = min(2 * self._blocks, _MOST_BLOCKS)
            # No call from here on: an interruption comes before all of this or after it.
            self._words = fresh
            self._pos = used
            self._total += blocks * BLOCK
            self._blocks = again
            self._torn = False

    def position(self) -> tuple[Any, ...]:
        """Where in its numbers it stands: another value as soon as one is drawn, or it is seeded anew."""
        return self._seed, id(self._start), self._total - len(self._words) + self._pos, self.next_normal

    def _used(self) -> int:
        """How many words of the block in use have been given away."""
        return BLOCK - (len(self._words) - self._pos) % BLOCK if self._pos else 0

    def random32(self, n: int) -> Array:
        """The next `n` words: uint32, shape (n,). It may share memory with the buffer: do not write to it."""
        with self._lock:
            self._reserve(n)
            words, start = self._words, self._pos
            if n > _CHUNK:  # lets go of a long array
                self._pos = end = start + n
                begin = end - self._used()
                rest = words[begin:].copy()
                self._words = rest
                self._pos = end - begin
                return words[start:end]
            self._pos = start + n
            return words[start : start + n]

    def random64(self, n: int) -> Array:
        """`n` 64-bit draws, each of two words with the high one first: uint64, shape (n,)."""
        words = self.random32(2 * n)
        high = words[0::2].astype(_UINT64)
        high <<= _SHIFT32
        high |= words[1::2]
        return high

    def uniform24(self, n: int, numpy: np.dtype[Any] = _FLOAT32) -> Array:
        """`n` numbers of [0, 1) from 24 bits of one word each: float32 or another dtype that holds them, shape (n,)."""
        if n > _CHUNK:
            values: Array = np.empty(n, numpy)
            for i in range(0, n, _CHUNK):
                values[i : i + _CHUNK] = self.uniform24(min(_CHUNK, n - i), numpy)
            return values
        values = (self.random32(n) & _LOW24).astype(numpy)
        values *= _UNIT24
        return values

    def in_blocks(self, n: int, make: Callable[[Array], Array]) -> Array:
        """The next `n` >= 16 numbers that `make` makes of those of `uniform24`, in blocks: (k, 16) -> (k, 16). Where
        `n` is not a multiple of 16, the last 16 numbers are made of 16 further words. Do not write to them.

        Numbers for calls of the same size are made too and kept, the more the longer such calls follow each other:
        few at a time would take as long as many.
        """
        size, taken = (n, n + 16) if n % 16 else (16, 16)  # numbers of a unit, and the words that they take
        units, whole = n // size, size & ~15
        with self._lock:
            at = self._total - len(self._words) + self._pos
            made, first, values = self._kept
            count = len(values) // size
            offset, odd = divmod(at - first, taken)
            same = made == size and not odd and 0 <= offset <= count
            if not same or offset + units > count:
                count = max(units, min(2 * count if same else 512 // size, _MOST_AHEAD // size))
                self._reserve(count * taken)
                words = self._words[self._pos : self._pos + count * taken].reshape(count, taken)
                if size != whole:
                    words = np.concatenate((words[:, :whole], words[:, size:]), axis=1)
                u = (words & _LOW24).astype(_FLOAT32)
                u *= _UNIT24
                values = make(u.reshape(-1, 16)).reshape(count, -1)
                if size != whole:
                    last = values[:, whole:]
                    values = values[:, :size].copy()
                    values[:, -16:] = last
                first, offset, values = at, 0, values.reshape(-1)
            found = values[offset * size : offset * size + n]
            self._kept = (size, first, values)
            self._pos += units * taken
            return found

    def uniform53(self, n: int) -> Array:
        """`n` numbers of [0, 1) from 53 bits of two words each: float64, shape (n,)."""
        if n > _CHUNK:
            values: Array = np.empty(n, _FLOAT64)
            for i in range(0, n, _CHUNK):
                values[i : i + _CHUNK] = self.uniform53(min(_CHUNK, n - i))
            return values
        return _of53(self.random32(2 * n))

    @contextmanager
    def one_by_one(self) -> Iterator[Callable[[], float]]:
        """A function that gives the next number of `uniform53` with each call, for what takes as many as chance wants:
        they are made ahead, and what is left over in the end is as if it had not been."""
        with self._lock:
            left: Iterator[float] = iter(())
            count, size = 0, _FEWEST

            def numbers() -> Iterator[float]:
                nonlocal left, count, size
                while True:
                    self.skip(count)
                    count = 0
                    made = self.ahead(size).tolist()
                    left, count, size = iter(made), size, min(2 * size, _CHUNK)
                    yield from left

            try:
                yield numbers().__next__
            finally:
                self.skip(count - length_hint(left))

    def ahead(self, n: int) -> Array:
        """The numbers that the next `uniform53` will give. The caller holds the lock, and then takes some by `skip`."""
        self._reserve(2 * n)
        return _of53(self._words[self._pos : self._pos + 2 * n])

    def skip(self, n: int) -> None:
        """Draw `n` of the numbers that `ahead` has given."""
        self._pos += 2 * n

    # -- seeding

    @property
    def device(self) -> device:
        """Where the numbers are made: always `device(type='cpu')`."""
        return CPU

    def manual_seed(self, seed: int) -> Generator:
        """Start again from `seed`, a 64-bit number; a negative one counts from 2**64 down. Returns the generator.

        Errors: RuntimeError if it is not an int, ValueError if it has more than 64 bits.

        >>> import autogradlab as torch
        >>> torch.Generator().manual_seed(-1).initial_seed()
        18446744073709551615
        """
        if type(seed) is not int:
            raise RuntimeError(SEED_TYPE.format(type(seed).__name__))
        if not -(1 << 63) <= seed < 1 << 64:
            raise ValueError(errors.LONG_OVERFLOW)
        with self._lock:
            self._reseed(seed & 0xFFFFFFFFFFFFFFFF)
        return self

    def initial_seed(self) -> int:
        """The seed that the numbers started from.

        >>> import autogradlab as torch
        >>> torch.Generator().initial_seed()
        67280421310721
        """
        return self._seed

    def seed(self) -> int:
        """Reseed from the operating system's entropy, and return the seed.

        >>> import autogradlab as torch
        >>> g = torch.Generator()
        >>> g.seed() == g.initial_seed()
        True
        """
        value = int.from_bytes(os.urandom(8), sys.byteorder)
        with self._lock:
            self._reseed(value)
        return value

    # -- saving and restoring

    def get_state(self) -> Array:
        """The complete state of the generator: uint8, shape (5056,), byte for byte PyTorch's.

        >>> import autogradlab as torch
        >>> torch.Generator().get_state().shape
        torch.Size([5056])
        """
        state: Array = np.zeros((), _LAYOUT)
        with self._lock:
            used = self._used()
            state["seed"] = self._seed
            state["left"] = BLOCK - used + 1 if used else 1
            state["seeded"] = 1
            state["next"] = used
            if used:
                begin = self._pos - used
                state["words"] = _untempered(self._words[begin : begin + BLOCK])
            else:
                if len(self._words):  # an interrupted call was to be the first
                    kept = self.next_normal
                    self._reseed(self._seed, self._start)
                    self.next_normal = kept
                state["words"] = self._seed_engine().get_state(legacy=False)["state"]["key"]
            if self.next_normal is not None:
                state["next_normal"] = self.next_normal
                state["has_normal"] = 1
        return np.frombuffer(bytearray(state.tobytes()), np.uint8)

    def set_state(self, new_state: Array) -> None:
        """Restore a state that `get_state` returned.

        Errors: TypeError if it is not a uint8 array, RuntimeError for a wrong length or an impossible state.

        >>> import autogradlab as torch
        >>> g = torch.Generator()
        >>> state = g.get_state()
        >>> first = torch.rand(2, generator=g)
        >>> g.set_state(state)
        >>> torch.equal(torch.rand(2, generator=g), first)
        True
        """
        if not isinstance(new_state, np.ndarray):
            raise TypeError(STATE_TYPE.format(type(new_state).__name__))
        if new_state.dtype != np.uint8:
            raise TypeError(STATE_DTYPE)
        if not new_state.flags.c_contiguous:
            raise RuntimeError(STATE_CONTIGUOUS)
        if new_state.size != STATE_SIZE:
            raise RuntimeError(STATE_LENGTH.format(STATE_SIZE, new_state.size))
        state = np.frombuffer(new_state.tobytes(), _LAYOUT)[0]
        left, following = int(state["left"]), int(state["next"])
        if state["seeded"] != 1 or not 0 < left <= BLOCK or following > BLOCK:
            raise RuntimeError(STATE_INVALID)
        key = state["words"].astype(np.uint32)
        with self._lock:
            self._reseed(int(state["seed"]), key)
            if left > 1 or following > 0:
                self._words = _tempered(key)
                self._pos = BLOCK + 1 - left
                self._total = BLOCK
            self.next_normal = float(state["next_normal"]) if state["has_normal"] else None

    def clone_state(self) -> Generator:
        """A new generator that will give the same numbers.

        >>> import autogradlab as torch
        >>> g = torch.Generator()
        >>> torch.equal(torch.rand(2, generator=g.clone_state()), torch.rand(2, generator=g))
        True
        """
        new = type(self)()
        Generator.set_state(new, Generator.get_state(self))
        return new

    def __reduce__(self) -> tuple[Any, ...]:
        make = _made if type(self).__module__ == Generator.__module__ else type(self)
        return make, ("cpu",), (self._seed, None, Generator.get_state(self))

    def __setstate__(self, state: tuple[int, None, Array]) -> None:
        self.set_state(state[2])

    def get_offset(self) -> int:
        """CUDA generators have an offset; here RuntimeError, as in PyTorch."""
        raise RuntimeError(NO_OFFSET)

    def set_offset(self, offset: int) -> None:
        """CUDA generators have an offset; here RuntimeError, as in PyTorch."""
        raise RuntimeError(NO_OFFSET)

    def graphsafe_get_state(self) -> Generator:
        """CUDA generators have this; here NotImplementedError, as in PyTorch."""
        raise NotImplementedError(NO_GRAPHSAFE.format("graphsafe_get_state"))

    def graphsafe_set_state(self, state: Any) -> None:
        """CUDA generators have this; here NotImplementedError, as in PyTorch."""
        raise NotImplementedError(NO_GRAPHSAFE.format("graphsafe_set_state"))

    def __repr__(self) -> str:
        return f"<torch._C.Generator object at {id(self):#x}>"


def _of53(words: Array) -> Array:
    """Numbers of [0, 1) from 53 bits of two words each."""
    values: Array = (words[0::2] & _LOW21).astype(_FLOAT64)
    values *= _TWO32
    values += words[1::2]
    values *= _UNIT53
    return values


def _made(where: str) -> Generator:
    """What a pickle calls: the class itself goes by PyTorch's name, under which nothing of ours is found."""
    return type(default_generator)(where)


def _stand(engine: Any, key: Array) -> None:
    """Put NumPy's twister at the end of a block."""
    twister = {"key": key, "pos": BLOCK}
    engine.set_state({"bit_generator": "MT19937", "state": twister, "has_gauss": 0, "gauss": 0.0})


def _tempered(key: Array) -> Array:
    """The words that the twister gives of the numbers of its state."""
    y = key ^ (key >> 11)
    y ^= (y << 7) & np.uint32(0x9D2C5680)
    y ^= (y << 15) & np.uint32(0xEFC60000)
    y ^= y >> 18
    return y


def _untempered(words: Array) -> Array:
    """The numbers of the twister's state that gave these words."""
    y = words ^ (words >> 18)
    y ^= (y << 15) & np.uint32(0xEFC60000)
    z = y
    for _ in range(4):  # 7 more bits are right each time
        z = y ^ ((z << 7) & np.uint32(0x9D2C5680))
    y = z
    for _ in range(2):
        y = z ^ (y >> 11)
    return y


def _check_device(where: Any) -> None:
    if where is CPU:
        return
    if isinstance(where, int):
        raise RuntimeError(NO_ACCELERATOR)
    kind = device(where).type
    if kind == "cuda":
        raise RuntimeError(NO_CUDA)
    if kind != "cpu":
        raise RuntimeError(NO_DEVICE.format(kind.upper()))


#: what is drawn from where no generator is given; as in PyTorch it starts from a seed that nobody can foretell
default_generator = Generator()
default_generator.seed()


def manual_seed(seed: Any) -> Generator:
    """Start the random numbers anew from a seed: the same seed gives the same numbers.

    Example:
        >>> import autogradlab as torch
        >>> torch.manual_seed(0).initial_seed()
        0
        >>> torch.rand(2)
        tensor([0.4963, 0.7682])

    Mirrors `torch.manual_seed`.
    """
    return default_generator.manual_seed(int(seed))


def seed() -> int:
    """Start the random numbers from a seed that the system chooses, and return it.

    Example:
        >>> import autogradlab as torch
        >>> torch.seed() == torch.initial_seed()
        True

    Mirrors `torch.seed`.
    """
    return default_generator.seed()


def initial_seed() -> int:
    """The seed from which the random numbers started.

    Example:
        >>> import autogradlab as torch
        >>> _ = torch.manual_seed(7)
        >>> torch.initial_seed()
        7

    Mirrors `torch.initial_seed`.
    """
    return default_generator.initial_seed()


def get_rng_state() -> Array:
    """The default generator's state: uint8, shape (5056,) (mirrors `torch.get_rng_state`)."""
    return default_generator.get_state()


def set_rng_state(new_state: Array) -> None:
    """Restore the default generator's state (mirrors `torch.set_rng_state`); errors as `Generator.set_state`."""
    default_generator.set_state(new_state)

"""Nested containers as trees: flattened to their leaves, and put together again (mirrors `torch.utils._pytree`)."""

from __future__ import annotations

import json
import warnings
from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import partial, reduce
from importlib import import_module
from typing import Any, NamedTuple

from ..core.runtime.naming import by_name, place
from ..core.types.return_types import Named
from ..core.types.size import Size

__all__ = [
    "Context",
    "GetAttrKey",
    "LeafSpec",
    "MappingKey",
    "PyTree",
    "PyTreeSpec",
    "SequenceKey",
    "TreeSpec",
    "arg_tree_leaves",
    "is_constant_class",
    "is_namedtuple",
    "is_namedtuple_class",
    "is_namedtuple_instance",
    "is_structseq",
    "is_structseq_class",
    "is_structseq_instance",
    "key_get",
    "keystr",
    "register_constant",
    "register_dataclass",
    "register_pytree_node",
    "tree_all",
    "tree_all_only",
    "tree_any",
    "tree_any_only",
    "tree_flatten",
    "tree_flatten_with_path",
    "tree_is_leaf",
    "tree_iter",
    "tree_leaves",
    "tree_leaves_with_path",
    "tree_map",
    "tree_map_",
    "tree_map_only",
    "tree_map_only_",
    "tree_map_with_path",
    "tree_structure",
    "tree_unflatten",
    "treespec_dict",
    "treespec_dumps",
    "treespec_leaf",
    "treespec_loads",
    "treespec_pprint",
    "treespec_tuple",
]

PyTree = Any
Context = Any
IsLeaf = Callable[[Any], bool] | None

_NO_SPEC = "Expected `treespec` to be an instance of PyTreeSpec but got item of type {}."
#: the version of the text that `treespec_dumps` writes
_VERSION = 1


# -- the way to a leaf -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SequenceKey:
    """A place in a list or tuple."""

    __reduce_ex__ = by_name
    idx: int

    def __str__(self) -> str:
        return f"[{self.idx!r}]"

    def get(self, sequence: Any) -> Any:
        return sequence[self.idx]


@dataclass(frozen=True)
class MappingKey:
    """A key of a dict."""

    __reduce_ex__ = by_name
    key: Any

    def __str__(self) -> str:
        return f"[{self.key!r}]"

    def get(self, mapping: Any) -> Any:
        return mapping[self.key]


@dataclass(frozen=True)
class GetAttrKey:
    """An attribute."""

    __reduce_ex__ = by_name
    name: str

    def __str__(self) -> str:
        return f".{self.name}"

    def get(self, obj: Any) -> Any:
        return getattr(obj, self.name)


def keystr(kp: Iterable[Any]) -> str:
    """A path as Python writes it.

    >>> keystr((SequenceKey(0), MappingKey("a")))
    "[0]['a']"
    """
    return "".join(str(key) for key in kp)


def key_get(obj: Any, kp: Iterable[Any]) -> Any:
    """What a path leads to."""
    for key in kp:
        obj = key.get(obj)
    return obj


# -- kinds of nodes ----------------------------------------------------------------------------------------------------


class NodeDef(NamedTuple):
    """How a kind of container is taken apart, and put together again."""

    type: Any
    flatten_fn: Callable[[Any], tuple[list[Any], Any]]
    unflatten_fn: Callable[[Iterable[Any], Any], Any]
    flatten_with_keys_fn: Callable[[Any], tuple[list[tuple[Any, Any]], Any]] | None
    to_dumpable: Callable[[Any], Any] | None = None
    from_dumpable: Callable[[Any], Any] | None = None
    name: str | None = None


#: the kinds of containers, by their classes; all classes made by `namedtuple` are one kind
SUPPORTED_NODES: dict[Any, NodeDef] = {}


def register_pytree_node(
    cls: Any,
    flatten_fn: Callable[[Any], tuple[list[Any], Any]],
    unflatten_fn: Callable[[Iterable[Any], Any], Any],
    *,
    serialized_type_name: str | None = None,
    to_dumpable_context: Callable[[Any], Any] | None = None,
    from_dumpable_context: Callable[[Any], Any] | None = None,
    flatten_with_keys_fn: Any = None,
) -> None:
    """Make a class a container of a tree: from now on its objects are taken apart by `flatten_fn`, into a list and what
    `unflatten_fn` needs beside a list to make one.

    Errors: ValueError if it is one already.
    """
    if cls in SUPPORTED_NODES:
        raise ValueError(f"{cls} is already registered as pytree node.")
    if (to_dumpable_context is None) is not (from_dumpable_context is None):
        raise ValueError(f"Both to_dumpable_context and from_dumpable_context for {cls} must be None or registered.")
    SUPPORTED_NODES[cls] = NodeDef(
        cls,
        flatten_fn,
        unflatten_fn,
        flatten_with_keys_fn,
        to_dumpable_context,
        from_dumpable_context,
        serialized_type_name,
    )


def _private_register_pytree_node(cls: Any, *args: Any, **kwargs: Any) -> None:
    """Make a class a container of a tree, again if it is one already."""
    if SUPPORTED_NODES.pop(cls, None) is not None:
        warnings.warn(
            f"{cls} is already registered as pytree node. Overwriting the previous registration.", stacklevel=3
        )
    register_pytree_node(cls, *args, **kwargs)


def _register_pytree_node(cls: type, *args: Any, **kwargs: Any) -> None:
    """The old way to register a class, which may be done twice."""
    warnings.warn(
        "`torch.utils._pytree._register_pytree_node` is deprecated. Please use "
        "`torch.utils._pytree.register_pytree_node` instead.",
        FutureWarning,
        stacklevel=2,
    )
    _private_register_pytree_node(cls, *args, **kwargs)


def _deregister_pytree_node(cls: type) -> None:
    """Make objects of a class leaves again."""
    del SUPPORTED_NODES[cls]
    CONSTANT_NODES.discard(cls)


def _names_of(cls: type, names: list[str] | None, dropped: Iterable[str]) -> list[str]:
    """The attributes of a class that are items of a tree, which must be all that make an object, but for those dropped;
    ValueError where they are not."""
    if not is_dataclass(cls):
        if names is None:
            raise ValueError(
                f"field_names must be specified with a list of all fields used to initialize {cls}, as it is not a "
                "dataclass."
            )
        return names
    initial = [field.name for field in fields(cls) if field.init]
    if names is None:
        return initial
    wanted = {*initial} - {*dropped}
    missing, unexpected = wanted - {*names}, {*names} - wanted
    message = "field_names does not include all dataclass fields.\n"
    if missing:
        message += (
            f"Missing fields in `field_names`: {missing}. If you want to include these fields in the pytree, please "
            "add them to `field_names`, otherwise please add them to `drop_field_names`.\n"
        )
    if unexpected:
        message += (
            f"Unexpected fields in `field_names`: {unexpected}. Please remove these fields, or add them to "
            "`drop_field_names`.\n"
        )
    if missing or unexpected:
        raise ValueError(message)
    return names


def register_dataclass(
    cls: type,
    *,
    field_names: list[str] | None = None,
    drop_field_names: list[str] | None = None,
    serialized_type_name: str | None = None,
) -> None:
    """Make a dataclass a container of a tree: its items are its fields that are not None.

    field_names: which fields are items, needed for a class that is no dataclass. drop_field_names: which are not, so
    that objects that are put together again have their defaults.

    Errors: ValueError for names that are not those of the fields that `__init__` takes.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Point:
    ...     x: int
    ...     y: int = 2
    >>> register_dataclass(Point)
    >>> tree_leaves([Point(1), 3])
    [1, 2, 3]
    """
    names = _names_of(cls, field_names, drop_field_names or ())

    def flatten(obj: Any) -> tuple[list[Any], Any]:
        given = [name for name in names if getattr(obj, name) is not None]
        return [getattr(obj, name) for name in given], [given, [name for name in names if name not in given]]

    def unflatten(values: Iterable[Any], context: Any) -> Any:
        given, empty = context
        return cls(**dict(zip(given, values, strict=True)), **dict.fromkeys(empty))

    def with_keys(obj: Any) -> tuple[list[tuple[Any, Any]], Any]:
        values, (given, _) = flatten(obj)
        return [(GetAttrKey(name), value) for name, value in zip(given, values, strict=True)], given

    _private_register_pytree_node(
        cls, flatten, unflatten, serialized_type_name=serialized_type_name, flatten_with_keys_fn=with_keys
    )


@dataclass(frozen=True)
class ConstantNode:
    """What a structure holds in the place of a constant: the object itself."""

    __reduce_ex__ = by_name
    value: Any


#: the classes whose objects are constants
CONSTANT_NODES: set[type] = set()


def register_constant(cls: type) -> None:
    """Make objects of a class constants: containers without items, equal structures if they are equal.

    Errors: TypeError for a class without `__eq__` or without `__hash__` of its own.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Norm:
    ...     p: int
    >>> register_constant(Norm)
    >>> tree_leaves([1, Norm(2)])
    [1]
    """
    equal: Any = cls.__eq__
    missing = "__eq__" if equal is object.__eq__ else "__hash__" if cls.__hash__ is None else None
    if missing:
        raise TypeError(f"register_constant(cls) expects `cls` to have a non-default `{missing}` implementation.")
    apart: Callable[[Any], tuple[list[Any], Any]] = lambda x: ([], ConstantNode(x))
    _private_register_pytree_node(cls, apart, lambda v, c: c.value, flatten_with_keys_fn=apart)
    CONSTANT_NODES.add(cls)


def is_constant_class(cls: Any) -> bool:
    """Whether objects of a class are constants."""
    return isinstance(cls, type) and cls in CONSTANT_NODES


def _sequence_keys(items: Any, context: Any = None) -> tuple[list[tuple[Any, Any]], Any]:
    return [(SequenceKey(i), item) for i, item in enumerate(items)], context


# libraries register classes derived from dict with these three
def _dict_flatten(mapping: Any) -> tuple[list[Any], list[Any]]:
    return list(mapping.values()), list(mapping)


def _dict_unflatten(values: Iterable[Any], keys: Iterable[Any]) -> dict[Any, Any]:
    return dict(zip(keys, values, strict=True))


def _dict_flatten_with_keys(mapping: Any, context: Any = None) -> tuple[list[tuple[Any, Any]], Any]:
    return [(MappingKey(key), value) for key, value in mapping.items()], context or list(mapping)


def _default(mapping: Any) -> Any:
    return [mapping.default_factory, list(mapping)]


def _default_told(context: Any) -> dict[str, Any]:
    factory, keys = context
    return {
        "default_factory_module": factory.__module__,
        "default_factory_name": factory.__qualname__,
        "dict_context": keys,
    }


def _default_heard(told: dict[str, Any]) -> list[Any]:
    factory = getattr(import_module(told["default_factory_module"]), told["default_factory_name"])
    return [factory, told["dict_context"]]


_register_sequence = partial(
    register_pytree_node, flatten_fn=lambda x: (list(x), None), flatten_with_keys_fn=_sequence_keys
)
_register_sequence(tuple, unflatten_fn=lambda v, c: tuple(v), serialized_type_name="builtins.tuple")
_register_sequence(Size, unflatten_fn=lambda v, c: tuple(v), serialized_type_name="torch.Size")
_register_sequence(list, unflatten_fn=lambda v, c: list(v), serialized_type_name="builtins.list")
_register_mapping = partial(
    register_pytree_node, flatten_fn=_dict_flatten, flatten_with_keys_fn=_dict_flatten_with_keys
)
_register_mapping(dict, unflatten_fn=_dict_unflatten, serialized_type_name="builtins.dict")
_register_mapping(
    OrderedDict,
    unflatten_fn=lambda v, c: OrderedDict(zip(c, v, strict=True)),
    serialized_type_name="collections.OrderedDict",
)
register_pytree_node(
    defaultdict,
    lambda x: (list(x.values()), _default(x)),
    lambda v, c: defaultdict(c[0], zip(c[1], v, strict=True)),
    serialized_type_name="collections.defaultdict",
    to_dumpable_context=_default_told,
    from_dumpable_context=_default_heard,
    flatten_with_keys_fn=lambda x: _dict_flatten_with_keys(x, _default(x)),
)
register_pytree_node(
    deque,
    lambda x: (list(x), x.maxlen),
    lambda v, c: deque(v, maxlen=c),
    serialized_type_name="collections.deque",
    flatten_with_keys_fn=lambda x: _sequence_keys(x, x.maxlen),
)


def _namedtuple_told(kind: type) -> str:
    definition = SUPPORTED_NODES.get(kind)
    if definition is None or definition.name is None:
        wanted = "didn't register a" if definition is None else "couldn't find a"
        raise NotImplementedError(
            f"Can't serialize TreeSpec of namedtuple class {kind} because we {wanted} serializated_type_name. Please "
            "register using `_register_namedtuple`."
        )
    return definition.name


def _namedtuple_heard(name: str) -> type:
    found = next((kind for kind, definition in SUPPORTED_NODES.items() if definition.name == name), None)
    if found is None:
        raise NotImplementedError(
            f"Can't deserialize TreeSpec of namedtuple class {name} because we couldn't find a serializated name."
        )
    return found


_namedtuple_node = partial(
    _private_register_pytree_node,
    flatten_fn=lambda x: (list(x), type(x)),
    unflatten_fn=lambda v, c: c(*v),
    to_dumpable_context=_namedtuple_told,
    from_dumpable_context=_namedtuple_heard,
    flatten_with_keys_fn=lambda x: ([(GetAttrKey(f), getattr(x, f)) for f in x._fields], type(x)),
)
_namedtuple_node(namedtuple, serialized_type_name="collections.namedtuple")


def _register_namedtuple(cls: type, *, serialized_type_name: str) -> None:
    """Give a class of named tuples the name under which structures are written as text."""
    _namedtuple_node(cls, serialized_type_name=serialized_type_name)


def is_namedtuple_class(cls: type) -> bool:
    """Whether a class was made by `collections.namedtuple`, or its base was."""
    fields = getattr(cls, "_fields", None)
    return isinstance(cls, type) and issubclass(cls, tuple) and isinstance(fields, tuple)


#: the bit of a type's flags that says whether it can have subclasses
_CAN_BE_BASE = 1 << 10


def is_structseq_class(cls: type) -> bool:
    """Whether a class is of results with named fields, as that of `torch.max(x, 0)` or of `time.gmtime()`."""
    if not isinstance(cls, type) or issubclass(cls, Named) or cls.__bases__ != (tuple,):
        return isinstance(cls, type) and issubclass(cls, Named)
    counts = (getattr(cls, f"n_{of}", None) for of in ("fields", "sequence_fields", "unnamed_fields"))
    return all(isinstance(count, int) for count in counts) and not cls.__flags__ & _CAN_BE_BASE


def is_namedtuple(obj: Any) -> bool:
    """Whether an object, or a class, is a named tuple."""
    return is_namedtuple_class(obj if isinstance(obj, type) else type(obj))


def is_namedtuple_instance(obj: Any) -> bool:
    """Whether an object is a named tuple."""
    return is_namedtuple_class(type(obj))


def is_structseq(obj: Any) -> bool:
    """Whether an object, or a class, is a result with named fields."""
    return is_structseq_class(obj if isinstance(obj, type) else type(obj))


def is_structseq_instance(obj: Any) -> bool:
    """Whether an object is a result with named fields."""
    return is_structseq_class(type(obj))


def _kind(tree: Any) -> Any:
    """The class under which a container is registered; None for leaves."""
    kind = type(tree)
    if is_namedtuple_class(kind):
        return namedtuple
    if kind in SUPPORTED_NODES:
        return kind
    if issubclass(kind, Named):
        register_pytree_node(kind, lambda x: (list(x), None), lambda v, c: kind(v), flatten_with_keys_fn=_sequence_keys)
        return kind
    return None


# -- the structure -----------------------------------------------------------------------------------------------------


class TreeSpec:
    """The nesting of a tree without its leaves."""

    __reduce_ex__ = by_name

    def __init__(self, type: Any, context: Any, children_specs: Sequence[TreeSpec]) -> None:
        self.type, self.context = type, context
        self._children = list(children_specs)
        self.num_children = len(self._children)
        leaf = type is None
        self.num_nodes: int = 1 + sum(child.num_nodes for child in self._children)
        self.num_leaves: int = 1 if leaf else sum(child.num_leaves for child in self._children)

    @property
    def children_specs(self) -> list[TreeSpec]:
        warnings.warn(
            "`treespec.children_specs` is deprecated. Use `treespec.child(index)` to access a single child, or "
            "`treespec.children()` to get all children.",
            FutureWarning,
            stacklevel=2,
        )
        return self._children

    def is_leaf(self) -> bool:
        """Whether it is that of a leaf."""
        return self.type is None

    def children(self) -> list[TreeSpec]:
        """Those of the container's items."""
        return list(self._children)

    def child(self, index: int) -> TreeSpec:
        """That of one item."""
        return self._children[index]

    def _text(self, indent: int) -> str:
        if self.is_leaf():
            return "*"
        indent += 2
        inner = (",\n" + " " * indent).join(child._text(indent) for child in self._children)
        return f"TreeSpec({self.type.__name__}, {self.context}, [{inner}])"

    def __repr__(self) -> str:
        return self._text(0)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, TreeSpec):
            return NotImplemented
        return (self.type, self.context, self._children) == (other.type, other.context, other._children)

    def __hash__(self) -> int:
        context = self.context
        kept = tuple(context) if isinstance(context, list) and self.type is not defaultdict else None
        return hash((self.type, kept, tuple(self._children)))

    def unflatten(self, leaves: Iterable[Any]) -> Any:
        """The tree with these leaves."""
        leaves = list(leaves)
        if len(leaves) != self.num_leaves:
            raise ValueError(
                f"treespec.unflatten(leaves): `leaves` has length {len(leaves)} but the spec refers to a pytree that "
                f"holds {self.num_leaves} items ({self})."
            )
        return self._filled(iter(leaves))

    def _filled(self, leaves: Iterator[Any]) -> Any:
        if self.is_leaf():
            return next(leaves)
        return SUPPORTED_NODES[self.type].unflatten_fn(
            [child._filled(leaves) for child in self._children], self.context
        )

    def flatten_up_to(self, tree: Any) -> list[Any]:
        """What stands in another tree at the places of the leaves of this one."""
        found: list[Any] = []
        self._gather(tree, found)
        return found

    def _gather(self, tree: Any, found: list[Any]) -> None:
        if self.is_leaf():
            found.append(tree)
            return
        kind = _kind(tree)
        mappings = (dict, OrderedDict, defaultdict)
        if kind is not self.type and not (kind in mappings and self.type in mappings):
            raise ValueError(f"Node type mismatch; expected {self.type!r}, but got {type(tree)!r}.")
        items, context = SUPPORTED_NODES[kind].flatten_fn(tree)
        if self.type in mappings:
            keys = self.context[1] if self.type is defaultdict else self.context
            if len(items) != len(keys):
                raise ValueError(f"Node arity mismatch; expected {len(keys)}, but got {len(items)}.")
            missing = {key for key in keys if key not in tree}
            extra = {key for key in tree if key not in keys}
            if missing or extra:
                message = ""
                if missing:
                    message += f"; missing key(s): {missing}"
                if extra:
                    message += f"; extra key(s): {extra}"
                raise ValueError(f"Node keys mismatch{message}.")
            items = [tree[key] for key in keys]
        else:
            if len(items) != self.num_children:
                raise ValueError(f"Node arity mismatch; expected {self.num_children}, but got {len(items)}.")
            if self.type is not deque and context != self.context:
                raise ValueError(f"Node context mismatch for custom node type {self.type!r}.")
        for child, item in zip(self._children, items, strict=True):
            child._gather(item, found)


#: its other name
PyTreeSpec = TreeSpec
_LEAF = TreeSpec(None, None, [])


class _IsLeafSpec(type(TreeSpec)):  # type: ignore[misc]
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, TreeSpec) and instance.is_leaf()


class LeafSpec(TreeSpec, metaclass=_IsLeafSpec):
    """The old name of what `treespec_leaf` gives."""

    def __new__(cls) -> TreeSpec:  # type: ignore[misc]
        return _LEAF


def treespec_leaf() -> TreeSpec:
    """The structure of a leaf."""
    return _LEAF


def treespec_tuple(iterable: Iterable[TreeSpec] = ()) -> TreeSpec:
    """The structure of a tuple of such trees."""
    return TreeSpec(tuple, None, list(iterable))


def treespec_dict(mapping: Any = (), **kwargs: TreeSpec) -> TreeSpec:
    """The structure of a dict of such trees."""
    given = dict(mapping, **kwargs)
    return TreeSpec(dict, list(given), list(given.values()))


# -- apart and together ------------------------------------------------------------------------------------------------


def tree_is_leaf(tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Whether an object is not a container."""
    return (is_leaf is not None and is_leaf(tree)) or _kind(tree) is None


def _is_leaf(tree: Any, is_leaf: IsLeaf = None) -> bool:
    warnings.warn(
        "torch.utils._pytree._is_leaf is private and will be removed in a future release. Please use "
        "torch.utils._pytree.tree_is_leaf instead.",
        FutureWarning,
        stacklevel=2,
    )
    return tree_is_leaf(tree, is_leaf)


def _visit(node: Any, is_leaf: IsLeaf, leaves: list[Any]) -> TreeSpec:
    """The structure of a tree, whose leaves are appended to a list."""
    if tree_is_leaf(node, is_leaf):
        leaves.append(node)
        return _LEAF
    kind = _kind(node)
    items, context = SUPPORTED_NODES[kind].flatten_fn(node)
    return TreeSpec(kind, context, [_visit(item, is_leaf, leaves) for item in items])


def tree_flatten(tree: Any, is_leaf: IsLeaf = None) -> tuple[list[Any], TreeSpec]:
    """The leaves of nested containers, and their structure.

    >>> tree_flatten([1, {"a": 2}])
    ([1, 2], TreeSpec(list, None, [*,
      TreeSpec(dict, ['a'], [*])]))
    """
    leaves: list[Any] = []
    spec = _visit(tree, is_leaf, leaves)
    return leaves, spec


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> Any:
    """The tree of that structure with these leaves.

    >>> tree_unflatten([3, 4], tree_structure([1, (2,)]))
    [3, (4,)]
    """
    if not isinstance(treespec, TreeSpec):
        raise TypeError(_NO_SPEC.format(type(treespec)))
    return treespec.unflatten(leaves)


def tree_iter(tree: Any, is_leaf: IsLeaf = None) -> Iterator[Any]:
    """The leaves, one by one."""
    if tree_is_leaf(tree, is_leaf):
        yield tree
    else:
        for item in SUPPORTED_NODES[_kind(tree)].flatten_fn(tree)[0]:
            yield from tree_iter(item, is_leaf)


def tree_leaves(tree: Any, is_leaf: IsLeaf = None) -> list[Any]:
    """The leaves of nested containers.

    >>> tree_leaves([1, (2, {"a": 3})])
    [1, 2, 3]
    """
    return list(tree_iter(tree, is_leaf))


def arg_tree_leaves(*args: Any, **kwargs: Any) -> list[Any]:
    """The leaves of the arguments of a call."""
    return [leaf for tree in (*args, *kwargs.values()) for leaf in tree_iter(tree)]


def tree_structure(tree: Any, is_leaf: IsLeaf = None) -> TreeSpec:
    """The structure of nested containers."""
    return tree_flatten(tree, is_leaf)[1]


def tree_map(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: IsLeaf = None) -> Any:
    """The same tree with what `func` gives for its leaves, and those at the same places of further trees.

    >>> tree_map(lambda a, b: a + b, [1, (2,)], [10, (20,)])
    [11, (22,)]
    """
    leaves, spec = tree_flatten(tree, is_leaf)
    return spec.unflatten(map(func, leaves, *(spec.flatten_up_to(rest) for rest in rests)))


def tree_map_(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: IsLeaf = None) -> Any:
    """Call `func` on the leaves, and give the tree back."""
    leaves, spec = tree_flatten(tree, is_leaf)
    for found in zip(leaves, *(spec.flatten_up_to(rest) for rest in rests), strict=True):
        func(*found)
    return tree


def _for_kind(kind: Any) -> Callable[[Any], bool]:
    if isinstance(kind, (type, tuple)) or hasattr(kind, "__args__"):
        return lambda x: isinstance(x, kind)
    if callable(kind):
        return kind
    raise TypeError("Argument must be a type, a tuple of types, or a callable.")


def map_only(type_or_types_or_pred: Any, /) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    """Decorator for a function that leaves objects of other types as they are."""
    wanted = _for_kind(type_or_types_or_pred)

    def wrap(func: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda x: func(x) if wanted(x) else x

    return wrap


def tree_map_only(type_or_types_or_pred: Any, func: Callable[[Any], Any], tree: Any, is_leaf: IsLeaf = None) -> Any:
    """The same tree, with what `func` gives for leaves of some types.

    >>> tree_map_only(int, lambda x: x + 1, [1, "a"])
    [2, 'a']
    """
    return tree_map(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_map_only_(type_or_types_or_pred: Any, func: Callable[[Any], Any], tree: Any, is_leaf: IsLeaf = None) -> Any:
    """Call `func` on leaves of some types, and give the tree back."""
    return tree_map_(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_all(pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Whether `pred` is true of all leaves."""
    return all(map(pred, tree_iter(tree, is_leaf)))


def tree_any(pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Whether `pred` is true of one of the leaves."""
    return any(map(pred, tree_iter(tree, is_leaf)))


def tree_all_only(kind: Any, pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Whether `pred` is true of all leaves of some types."""
    return all(pred(x) for x in tree_iter(tree, is_leaf) if isinstance(x, kind))


def tree_any_only(kind: Any, pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Whether `pred` is true of one of the leaves of some types."""
    return any(pred(x) for x in tree_iter(tree, is_leaf) if isinstance(x, kind))


def _broadcast_to_and_flatten(tree: Any, treespec: TreeSpec, is_leaf: IsLeaf = None) -> list[Any] | None:
    """A leaf of `tree` for each leaf of a structure, where one may stand for a whole branch; None where they do not
    fit."""
    if tree_is_leaf(tree, is_leaf):
        return [tree] * treespec.num_leaves
    if treespec.is_leaf() or _kind(tree) is not treespec.type:
        return None
    items, context = SUPPORTED_NODES[treespec.type].flatten_fn(tree)
    if len(items) != treespec.num_children or context != treespec.context:
        return None
    found: list[Any] = []
    for item, spec in zip(items, treespec._children, strict=True):
        part = _broadcast_to_and_flatten(item, spec, is_leaf)
        if part is None:
            return None
        found += part
    return found


# -- with paths --------------------------------------------------------------------------------------------------------


def _with_paths(tree: Any, is_leaf: IsLeaf, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if tree_is_leaf(tree, is_leaf):
        yield path, tree
        return
    kind = _kind(tree)
    keyed = SUPPORTED_NODES[kind].flatten_with_keys_fn
    if keyed is None:
        raise ValueError(
            f"Did not find a flatten_with_keys_fn for type: {kind}. Please pass a flatten_with_keys_fn argument to "
            "register_pytree_node."
        )
    for key, item in keyed(tree)[0]:
        yield from _with_paths(item, is_leaf, (*path, key))


def tree_leaves_with_path(tree: Any, is_leaf: IsLeaf = None) -> list[tuple[tuple[Any, ...], Any]]:
    """The leaves, each after the way to it."""
    return list(_with_paths(tree, is_leaf, ()))


def tree_flatten_with_path(tree: Any, is_leaf: IsLeaf = None) -> tuple[list[tuple[tuple[Any, ...], Any]], TreeSpec]:
    """The leaves, each after the way to it, and the structure."""
    return tree_leaves_with_path(tree, is_leaf), tree_structure(tree, is_leaf)


def tree_map_with_path(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: IsLeaf = None) -> Any:
    """The same tree with what `func` gives for the way to each leaf and the leaf.

    >>> tree_map_with_path(lambda path, x: keystr(path), [1, {"a": 2}])
    ['[0]', {'a': "[1]['a']"}]
    """
    pairs, spec = tree_flatten_with_path(tree, is_leaf)
    paths, leaves = [p for p, _ in pairs], [x for _, x in pairs]
    return spec.unflatten(map(func, paths, leaves, *(spec.flatten_up_to(rest) for rest in rests)))


# -- as text -----------------------------------------------------------------------------------------------------------


def _enum_told(obj: Any) -> dict[str, Any]:
    """A member of an enumeration, for JSON."""
    if not isinstance(obj, Enum):
        raise TypeError(f"Object of type {type(obj).__name__} is not JSON serializable")
    kind = type(obj)
    return {"__enum__": True, "fqn": f"{kind.__module__}:{kind.__qualname__}", "name": obj.name}


def _enum_heard(told: dict[str, Any]) -> Any:
    if "__enum__" not in told:
        return told
    module, _, path = told["fqn"].partition(":")
    return reduce(getattr, path.split("."), import_module(module))[told["name"]]  # type: ignore[index]


def _dumped(spec: TreeSpec) -> dict[str, Any]:
    if spec.is_leaf():
        return {"type": None, "context": None, "children_spec": []}
    kind = SUPPORTED_NODES.get(spec.type)
    if kind is None:
        raise NotImplementedError(f"Serializing {spec.type} in pytree is not registered.")
    if kind.name is None:
        raise NotImplementedError(
            f"No registered serialization name for {spec.type} found. Please update your _register_pytree_node call "
            "with a `serialized_type_name` kwarg."
        )
    if kind.to_dumpable is not None:
        context = kind.to_dumpable(spec.context)
    else:
        try:
            context = json.dumps(spec.context, default=_enum_told)
        except TypeError as error:
            raise TypeError(
                "Unable to serialize context. Please make the context json dump-able, or register a custom serializer "
                "using _register_pytree_node."
            ) from error
    return {"type": kind.name, "context": context, "children_spec": [_dumped(c) for c in spec._children]}


def treespec_dumps(treespec: TreeSpec, protocol: int | None = None) -> str:
    """A structure as JSON."""
    if not isinstance(treespec, TreeSpec):
        raise TypeError(_NO_SPEC.format(type(treespec)))
    if protocol not in (None, _VERSION):
        raise ValueError(f"Unknown protocol {protocol}. Available protocols: {[_VERSION]}")
    return json.dumps([_VERSION, _dumped(treespec)], default=_enum_told)


def _loaded(told: dict[str, Any]) -> TreeSpec:
    if told["type"] is None:
        return _LEAF
    found = [pair for pair in SUPPORTED_NODES.items() if pair[1].name == told["type"]]
    if not found:
        raise NotImplementedError(f"Deserializing {told['type']} in pytree is not registered.")
    kind, definition = found[0]
    if definition.from_dumpable is not None:
        context = definition.from_dumpable(told["context"])
    else:
        context = json.loads(told["context"], object_hook=_enum_heard)
    return TreeSpec(kind, context, [_loaded(child) for child in told["children_spec"]])


def treespec_loads(serialized: str) -> TreeSpec:
    """The structure that `treespec_dumps` wrote."""
    version, told = json.loads(serialized)
    if version != _VERSION:
        raise ValueError(f"Unknown protocol {version}. Available protocols: {[_VERSION]}")
    return _loaded(told)


def treespec_pprint(treespec: TreeSpec) -> str:
    """A structure as Python writes trees, with a star for each leaf."""

    class Star:
        def __repr__(self) -> str:
            return "*"

    return repr(tree_unflatten([Star() for _ in range(treespec.num_leaves)], treespec))


for _class in (ConstantNode, GetAttrKey, LeafSpec, MappingKey, NodeDef, SequenceKey, TreeSpec):
    place(_class, "torch.utils._pytree")

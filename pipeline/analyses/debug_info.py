"""Rust types by the debug info of a module: what a function's parameters point to, down to the numbers.

The layout of the nodes is LLVM's (llvm/IR/DebugInfoMetadata.h), the tags are DWARF 5's (7.5.3).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from pipeline.llvm import Module, Value

ARRAY, ENUMERATION, MEMBER, POINTER, STRUCTURE, BASE = 0x01, 0x04, 0x0D, 0x0F, 0x13, 0x24
VARIANT_PART, UNION, _FUNCTION = 0x33, 0x17, 0x2E
_SOURCES = {0x11, 0x29}
"""A compile unit and a file: what functions of other languages are in."""

# The operands of DISubprogram, and of any scope; of DITemplateTypeParameter and of DIGlobalVariable; of DISubroutineType; of
# DIDerivedType and DICompositeType alike (in LLVM 22).
_SCOPE, _NAME, _SIGNATURE, _TEMPLATE = 1, 2, 4, 9
_PARAMETER_TYPE, _VARIABLE_NAME, _VARIABLE_TYPE = 1, 1, 3
_TYPES = 5
_BASE_TYPE, _ELEMENTS, _TYPES_PARAMETERS, _IDENTIFIER, _DISCRIMINATOR = 5, 6, 8, 9, 10
_EXTRA_DATA = 6  # of a member that is a variant: its tag

_PARTS = {MEMBER, VARIANT_PART}
FLOAT_BITS = {"f16": 16, "f32": 32, "f64": 64, "f128": 128}
"""The width of each float type."""
INTEGER_NAMES = {f"{sign}{width}" for sign in "iu" for width in (8, 16, 32, 64, 128, "size")} | {"bool", "char"}
_WRAPPERS = ("MaybeUninit<", "ManuallyDrop<", "MaybeDangling<")
"""Types of the standard library that hold one value, if any; their own fields are no user's words."""
_NON_ZERO = "NonZero<"
_WITH_CAPACITY = re.compile(r"with_capacity_in<(.+), alloc::alloc::Global>")
"""The name of a function that allocates at once all that is wanted, and of what."""
_MOVERS = {
    "ptr": ("copy<", "copy_nonoverlapping<", "swap<", "swap_chunk<", "read<", "write<", "replace<"),
    "mem": ("swap<", "replace<", "take<"),
    "alloc": ("realloc",),
    "option": ("copied<",),
}
"""How the names of the functions begin that move elements, by their module of the standard library."""
STD = {"core", "alloc", "std", "hashbrown"}
"""The crates of the standard library, and of its hash tables."""
_SIDE_BY_SIDE = ("RawVec<", "RawTable<", "Bucket<")
"""How the names of std's types begin that lead to elements side by side, and are made for these."""
_REALLOCATES, _ALLOC, _RAW_VEC = "realloc", ["alloc", "alloc"], ["alloc", "raw_vec"]
_BYTES = {"u8", "i8", "c_void"}
_GENERIC = re.compile(r"<(?![\d, ]+>)")
"""In the name of what was made for types, and not for numbers alone."""
_ALLOCATOR = "<alloc::alloc::Global>"
"""How the name ends of what was made for the allocator alone."""
_DATA = ".data_ptr"
"""The field of a slice that is its pointer."""


@dataclass(frozen=True)
class Leaf:
    """What a type is made of in the end: under which path of fields, of which type, and what that is.

    `kind` is `float`, `number` (`bool` and `char` too), `nonzero`, `pointer`, `enum`, `union` or `unknown`.
    """

    path: str
    type: str
    kind: str


def signature_types(module: Module, function: Value) -> list[Value]:
    """The types of what a function returns (0: nothing) and takes; empty where nothing is known."""
    subprogram = module.subprogram(function)
    return _signature(module, module.metadata_operands(subprogram)) if subprogram else []


def _signature(module: Module, function: Sequence[Value]) -> list[Value]:
    """As `signature_types`, of what debug info has of a function."""
    types = module.metadata_operands(function[_SIGNATURE])[_TYPES] if function[_SIGNATURE] else 0
    return module.metadata_operands(types) if types else []


def parameter_types(module: Module, function: Value) -> list[Value]:
    """The types of a function's parameters, a closure's own environment among them; empty where nothing is known."""
    return signature_types(module, function)[1:]


def variable_type(module: Module, variable: Value) -> Value:
    """The type of a global variable; 0 where debug info does not say it."""
    described = [module.metadata_operands(expression)[0] for expression in module.global_debug_info(variable)]
    return module.metadata_operands(described[0])[_VARIABLE_TYPE] if described else 0


def name_of_variable(module: Module, variable: Value) -> str:
    """What the user calls a global variable; empty where debug info does not say it, as of std's own."""
    described = [module.metadata_operands(expression)[0] for expression in module.global_debug_info(variable)]
    operands = module.metadata_operands(described[0]) if described else []
    return module.metadata_string(operands[_VARIABLE_NAME]) if operands else ""


def holds_float(module: Module, ty: Value) -> bool:
    """Whether there is a float in a value of the type itself, be it in one variant of an enum; not behind a pointer."""
    return not numbers(module, ty).isdisjoint(FLOAT_BITS)


def numbers(module: Module, ty: Value) -> frozenset[str]:
    """The types of the numbers and pointers in a value of the type itself."""
    match module.metadata_tag(ty):
        case tag if tag in {ARRAY, MEMBER, ENUMERATION}:
            return numbers(module, base_type(module, ty))
        case tag if tag in {STRUCTURE, UNION, VARIANT_PART}:
            return frozenset().union(*(numbers(module, part) for part in parts(module, ty)))
        case _:
            return frozenset({type_name(module, ty)} if module.type_bits(ty) else ())


def floats_reached(module: Module, ty: Value) -> frozenset[str]:
    """The float types (`f32`, `f64` …) in a value of the type, and in whatever its pointers lead to."""
    return module.said(_floats_reached, ty)


def _floats_reached(module: Module, ty: Value) -> frozenset[str]:
    return _floats_among(module, reached(module, ty))


def _floats_among(module: Module, nodes: Iterable[Value]) -> frozenset[str]:
    return frozenset(name(module, node) for node in nodes if module.metadata_tag(node) == BASE) & FLOAT_BITS.keys()


def floats_kept(module: Module, ty: Value) -> frozenset[str]:
    """As `floats_reached`, and those that the types are made for: a `Vec<f64>` leads to its floats by a pointer to bytes."""
    return module.said(_floats_kept, ty)


def _floats_kept(module: Module, ty: Value) -> frozenset[str]:
    known, waiting = set[Value](), [ty]
    while waiting:
        new = set(reached(module, waiting.pop())) - known
        known |= new
        waiting += [argument for node in new for argument in type_arguments(module, node)]
    return _floats_among(module, known)


def kept_at(module: Module, ty: Value, begin: int) -> list[Value]:
    """The types that what is at a byte of a struct was made for: of `{ of: Vec<f64>, at: Vec<usize> }` of one.

    What a user's own struct was made for says least: of a `Body<f64>` the name is a `String` all the same.
    """
    made_for: list[Value] = []
    while ty and module.metadata_tag(ty) == STRUCTURE:
        parameters = type_arguments(module, ty)
        if parameters and path(module, ty)[0] in STD:
            return parameters
        made_for = made_for or parameters
        begin, ty = _inside_at(module, ty, begin)
    return made_for


def elements_at(module: Module, ty: Value, begin: int) -> Value:
    """The type of the elements, side by side, to which what is at a byte of a struct leads; 0 where that is not known.

    They may lie before where it leads, as those of a hash table do: a whole number of them.
    """
    while ty and module.metadata_tag(ty) == STRUCTURE:
        if name(module, ty).startswith(_SIDE_BY_SIDE) and path(module, ty)[0] in STD:
            return next(iter(type_arguments(module, ty)), 0)
        begin, ty = _inside_at(module, ty, begin)
    return 0


def _inside_at(module: Module, ty: Value, begin: int) -> tuple[int, Value]:
    """The type of the member of a struct that is at a byte of it, and at which byte of that; 0 where it is not one alone."""
    inside = [one for one in parts(module, ty) if 0 <= 8 * begin - module.type_offset(one) < module.type_bits(one)]
    if len(inside) != 1 or module.metadata_tag(inside[0]) != MEMBER:
        return 0, 0
    return begin - module.type_offset(inside[0]) // 8, base_type(module, inside[0])


def type_arguments(module: Module, ty: Value) -> list[Value]:
    """The types that a generic struct was made for; none for anything else."""
    operands = module.metadata_operands(ty) if module.metadata_tag(ty) == STRUCTURE else []
    return list(filter(None, _types_named(module, operands[_TYPES_PARAMETERS]))) if len(operands) > _TYPES_PARAMETERS else []


def _types_named(module: Module, parameters: Value) -> list[Value]:
    """The types that template parameters stand for; none where there are no parameters."""
    named = module.metadata_operands(parameters) if parameters else []
    return [module.metadata_operands(parameter)[_PARAMETER_TYPE] for parameter in named]


def numbers_reached(module: Module, ty: Value) -> frozenset[str]:
    """The types of the numbers that the pointers in what a pointer leads to lead to, lengths and capacities left out."""
    inside = (base_type(module, node) for node in reached(module, base_type(module, ty)) if is_pointer(module, node))
    return frozenset().union(*(numbers(module, pointee) for pointee in inside if pointee))


def is_pointer(module: Module, ty: Value) -> bool:
    """Whether the type is that of a pointer."""
    return module.metadata_tag(ty) == POINTER


def floats_pointed_to(module: Module, ty: Value) -> frozenset[str]:
    """The float types in what the pointers in a value of the type lead to."""
    match module.metadata_tag(ty):
        case tag if tag == POINTER:
            return floats_reached(module, base_type(module, ty))
        case tag if tag in {ARRAY, MEMBER}:
            return floats_pointed_to(module, base_type(module, ty))
        case tag if tag in {STRUCTURE, UNION, VARIANT_PART}:
            return frozenset().union(*(floats_pointed_to(module, part) for part in parts(module, ty)))
        case _:
            return frozenset()


def shared_words(module: Module, ty: Value) -> frozenset[int]:
    """The widths, in bits, of the words that are a float in one variant of an enum and a number in another.

    Of all enums and unions in a value of the type, and in whatever its pointers lead to.
    """
    found: set[int] = set()
    for node in reached(module, ty):
        if module.metadata_tag(node) in {UNION, VARIANT_PART}:
            words = set(_words(module, node))
            numbers = {(begin, bits) for begin, bits, is_float in words if not is_float}
            found |= {bits for begin, bits, is_float in words if is_float and (begin, bits) in numbers}
    return frozenset(found)


def overlaid_widths(module: Module, ty: Value) -> frozenset[int]:
    """The widths, in bits, of the numbers that lie where another variant of the same enum has a float, or a part of one.

    Of all enums and unions in a value of the type, and in whatever its pointers lead to.
    """
    found: set[int] = set()
    for node in reached(module, ty):
        if module.metadata_tag(node) in {UNION, VARIANT_PART}:
            words = list(_words(module, node))
            floats = [(begin, begin + bits) for begin, bits, is_float in words if is_float]
            numbers = [(begin, begin + bits) for begin, bits, is_float in words if not is_float]
            overlaid = ((b, e) for b, e in numbers if any(b < end and begin < e for begin, end in floats))
            found |= {end - begin for begin, end in overlaid}
    return frozenset(found)


def leads_to(module: Module, ty: Value) -> list[Value]:
    """What a type is made of, or a pointer to, in one step."""
    match module.metadata_tag(ty):
        case tag if tag in {ARRAY, MEMBER, POINTER}:
            return [base_type(module, ty)]
        case tag if tag in {STRUCTURE, UNION, VARIANT_PART}:
            return parts(module, ty)
        case _:
            return []


def reached(module: Module, ty: Value, step: Callable[[Module, Value], Iterable[Value]] = leads_to) -> Iterator[Value]:
    """The type, what it is made of, and whatever pointers lead to, each once; or what comes of another step."""
    known, waiting = {0}, [ty]
    while waiting:
        node = waiting.pop()
        if node not in known:
            known.add(node)
            yield node
            waiting += step(module, node)


def parts(module: Module, ty: Value) -> list[Value]:
    """The members of a struct, union or variant part, and the part of an enum that is one of several."""
    return [element for element in elements(module, ty) if module.metadata_tag(element) in _PARTS]


def _words(module: Module, node: Value) -> Iterator[tuple[int, int, bool]]:
    """Where the numbers of a type are, in bits, how wide each is, and whether it is a float."""
    for begin, leaf in placed(module, node):
        yield begin, module.type_bits(leaf), name(module, leaf) in FLOAT_BITS


def placed(module: Module, node: Value, begin: int = 0) -> Iterator[tuple[int, Value]]:
    """The numbers and pointers in a value of a type: where each begins, in bits, and its type; those of all variants."""
    match module.metadata_tag(node):
        case tag if tag == MEMBER:
            yield from placed(module, base_type(module, node), begin + module.type_offset(node))
        case tag if tag == ARRAY:
            element = base_type(module, node)
            for offset in range(0, module.type_bits(node), module.type_bits(element) or module.type_bits(node)):
                yield from placed(module, element, begin + offset)
        case tag if tag in {STRUCTURE, UNION, VARIANT_PART}:
            for part in parts(module, node):
                yield from placed(module, part, begin)
        case _ if module.type_bits(node):  # not ()
            yield begin, node


def types_around(module: Module, instruction: Value) -> Iterator[list[Value]]:
    """The types that each function around an instruction is about, the innermost inlined one first.

    Those are the types that a generic function was made for, or, where it is not generic, those of its header.
    """
    return (module.said(_types_of, scope) for scope in module.scopes(instruction))


def types_here(module: Module, instruction: Value) -> list[Value]:
    """Those of `types_around` of the innermost function that has some; none, where none is known."""
    return next((types for types in types_around(module, instruction) if types), [])


def floats_around(module: Module, instruction: Value) -> frozenset[str]:
    """The float types that the function is about in which the instruction was written; all, where that is not known."""
    types = types_here(module, instruction)
    return frozenset().union(*(floats_reached(module, ty) for ty in types)) if types else frozenset(FLOAT_BITS)


def _types_of(module: Module, scope: Value) -> list[Value]:
    operands = module.said(_function, scope)
    if types := _made_for(module, operands):
        return types
    return [ty for ty in _signature(module, operands) if ty]


def types_made_for(module: Module, instruction: Value) -> Iterator[list[Value]]:
    """The types that each generic function around an instruction was made for, the innermost inlined one first."""
    return (types for _, types in _generic_around(module, instruction))


def _generic_around(module: Module, instruction: Value) -> Iterator[tuple[list[Value], list[Value]]]:
    """Each generic function around an instruction and the types that it was made for, as far as these are told.

    Of what std was built with debug info has no types, but in the functions' names: what is around that is about others, unless
    it is about just these types, or that was generic over the allocator alone.
    """
    untold: list[str] = []
    for function in _functions_around(module, instruction):
        if types := _made_for(module, function):
            if not all(name.endswith((_ALLOCATOR, _generics(module, types))) for name in untold):
                return
            untold = []
            yield function, types
        elif _GENERIC.search(name := module.metadata_string(function[_NAME])):
            untold.append(name)


def _generics(module: Module, types: Sequence[Value]) -> str:
    """How the name of a function ends that was made for these types."""
    return f"<{', '.join('::'.join(path(module, ty)) for ty in types)}>"


def functions_around(module: Module, instruction: Value) -> list[str]:
    """The names of the functions around an instruction, the innermost inlined one first."""
    return [module.metadata_string(operands[_NAME]) for operands in _functions_around(module, instruction)]


def allocates_text(module: Module, instruction: Value) -> bool:
    """Whether an instruction is of the allocation of a text, or other bytes, with a capacity; of what grows it is not known."""
    elements = (_WITH_CAPACITY.fullmatch(each) for each in functions_around(module, instruction))
    return next((found[1] for found in elements if found), "") == "u8"


def elements_moved(module: Module, instruction: Value) -> Value:
    """The type of the elements that an instruction moves; 0 where that is not known.

    It is, where the instruction was written in a function that moves elements of the type that it is made for, as
    `ptr::copy::<T>`, or in the reallocation of a `RawVec<T>`: what lies between these two is generic over the allocator, if
    anything, and that is of no size.  Of bytes, which may be of anything, a second function must say the same.
    """
    if reallocates_bytes(module, instruction):
        return _reallocated(module, instruction)
    sized = ([ty for ty in types if module.type_bits(ty)] for types in types_made_for(module, instruction))
    types = list(filter(None, sized))
    if not types or len(types[0]) != 1 or not _moves_elements(module, _functions_around(module, instruction)[0]):
        return 0
    (moved,) = types[0]
    is_bytes = type_name(module, initialised(module, moved)).lstrip("[").startswith("u8")
    return 0 if is_bytes and [moved] not in types[1:2] else moved


def boxed(module: Module, allocation: Value) -> Value:
    """The type of what an allocation in `Box::new` is made for; 0 for any other."""
    function, types = next(_generic_around(module, allocation), ([], []))
    is_box = bool(types) and path(module, function[_SCOPE])[:2] == ["alloc", "boxed"]
    return types[0] if is_box and module.metadata_string(function[_NAME]).startswith("new<") else 0


def moves_bytes(module: Module, instruction: Value) -> bool:
    """Whether an instruction was written to move bytes, and not what else they may be, in a function that std was built with.

    Debug info has no types there, but in the functions' names.  So are a reallocation's, where it is no `RawVec`'s.
    """
    functions = _functions_around(module, instruction)
    if reallocates_bytes(module, instruction):
        return True
    if not functions or not _moves_elements(module, functions[0]):
        return False
    outside = (function for function in functions if path(module, function[_SCOPE])[:2] != ["core", "ptr"])
    said = [module.metadata_string(function[_NAME]) for function in (functions[0], next(outside, functions[0]))]
    return all(re.search(r"<u8[>,]", one) for one in said)


def reallocates_bytes(module: Module, instruction: Value) -> bool:
    """Whether an instruction moves what somebody else than a `RawVec` has reallocated: that may be of any type.

    What std reallocates in a function of its own is of whoever calls that.
    """
    functions = _functions_around(module, instruction)
    if not functions or not module.metadata_string(functions[0][_NAME]).startswith(_REALLOCATES):
        return False
    spaces = [path(module, function[_SCOPE])[:2] for function in functions]
    return spaces[0] == _ALLOC and _RAW_VEC not in spaces and any(space != _ALLOC for space in spaces)


def _reallocated(module: Module, instruction: Value) -> Value:
    """The one type to which the pointers lead of what a function is given that reallocates; 0 where that is not one, or bytes.

    A `SmallVec<[f64; 4]>` that is given by reference has one pointer, to `f64`; where there is none within, as behind a
    `*mut f64`, it is what is given itself that leads there.
    """
    outside = (function for function in _functions_around(module, instruction) if path(module, function[_SCOPE])[:2] != _ALLOC)
    given = [ty for ty in _signature(module, next(outside))[1:] if module.metadata_tag(ty) == POINTER]
    found = {pointee for pointer in given for pointee in _elements_behind(module, base_type(module, pointer))}
    element = found.pop() if len(found) == 1 else 0
    return element if element and module.type_bits(element) and type_name(module, element) not in _BYTES else 0


def _elements_behind(module: Module, pointee: Value) -> set[Value]:
    leaves = (leaf for _, leaf in placed(module, pointee)) if pointee else ()
    return {base_type(module, leaf) for leaf in leaves if module.metadata_tag(leaf) == POINTER} or {pointee}


def moves_bits(module: Module, instruction: Value) -> bool:
    """Whether an instruction moves bytes, or other integers, by how it was written: they may be the bits of anything."""
    element = elements_moved(module, instruction)
    return bool(element and numbers(module, element) <= INTEGER_NAMES) or moves_bytes(module, instruction)


def _moves_elements(module: Module, function: list[Value]) -> bool:
    # A method is in its type; a function of C is in a file alone.
    space = [part for part in path(module, function[_SCOPE]) if not _GENERIC.search(part)]
    movers = _MOVERS.get(space[-1], ()) if len(space) > 1 and space[-2] in STD else ()
    return module.metadata_string(function[_NAME]).startswith(movers)


def _functions_around(module: Module, instruction: Value) -> list[list[Value]]:
    """What debug info has of each function around an instruction."""
    return [module.said(_function, scope) for scope in module.scopes(instruction)]


def _function(module: Module, scope: Value) -> list[Value]:
    while module.metadata_tag(scope) != _FUNCTION:  # a block in the function
        scope = module.metadata_operands(scope)[_SCOPE]
    operands = module.metadata_operands(scope)
    return operands + [0] * (_TEMPLATE + 1 - len(operands))


def _made_for(module: Module, function: list[Value]) -> list[Value]:
    """The types that a function was made for, of what debug info has of it; none where it is not generic."""
    return _types_named(module, function[_TEMPLATE])


def path(module: Module, node: Value) -> list[str]:
    """The path of a type or a function of debug info: its crate, modules, perhaps a type, its name; empty for none."""
    return list(module.said(_path, node))


def _path(module: Module, node: Value) -> list[str]:
    if not node or module.metadata_tag(node) in _SOURCES:
        return []
    operands = module.metadata_operands(node)
    return [*path(module, operands[_SCOPE]), module.metadata_string(operands[_NAME])]


def paths_around(module: Module, instruction: Value) -> Iterator[list[str]]:
    """The path of each function around an instruction, the innermost inlined one first."""
    return (module.said(_path_of, scope) for scope in module.scopes(instruction))


def _path_of(module: Module, scope: Value) -> list[str]:
    operands = module.said(_function, scope)
    return [*path(module, operands[_SCOPE]), module.metadata_string(operands[_NAME])]


def types_in(module: Module, function: Value) -> set[Value]:
    """The types of a function's header, and those that what was inlined into it is about."""
    return set(module.once_in(function, "types in", lambda: _types_in(module, function)))


def _types_in(module: Module, function: Value) -> set[Value]:
    by_place = {module.location(instruction): instruction for instruction in module.instructions(function)}
    around = (types for instruction in by_place.values() for types in types_around(module, instruction))
    return {ty for types in (parameter_types(module, function), *around) for ty in types if ty}


def is_aggregate(module: Module, ty: Value) -> bool:
    """Whether the type is an array, a struct, a tuple or an enum."""
    return module.metadata_tag(ty) in {ARRAY, STRUCTURE, UNION}


def pointee_leaves(module: Module, pointer: Value, path: str) -> Iterator[Leaf]:
    """What a parameter points to, taken apart; `path` is what the user calls it."""
    for pointee in _pointees(module, pointer) or [0]:
        yield from _leaves(module, pointee, path) if pointee else [Leaf(path, "", "unknown")]


def shared_floats(module: Module, parameter: Value, path: str) -> Iterator[Leaf]:
    """The shared references within what a shim's parameter points to, but for the argument itself, that lead to floats.

    Not those to a cell, behind which one may write.
    """
    known: set[Value] = {0}
    waiting = [(pointee, path, True) for pointee in _pointees(module, parameter)]
    while waiting:
        node, path, is_argument = waiting.pop()
        if node in known:
            continue
        known.add(node)
        name = module.metadata_string(module.metadata_operands(node)[_NAME])
        if is_argument or not _is_shared(name):
            waiting += _inside(module, node, path)
        elif floats_reached(module, node):
            yield Leaf(path, name, "pointer")


def _is_shared(name: str) -> bool:
    return name.startswith("&") and not name.startswith("&mut ") and "Cell<" not in name


def _inside(module: Module, node: Value, path: str) -> Iterator[tuple[Value, str, bool]]:
    """What a type leads to in one step; the two words of a slice's reference are still that reference."""
    operands = module.metadata_operands(node)
    tag, name = module.metadata_tag(node), module.metadata_string(operands[_NAME])
    if tag == ARRAY:
        yield operands[_BASE_TYPE], f"{path}[_]", False
    elif tag == POINTER:
        yield operands[_BASE_TYPE], path, False
    elif tag in {STRUCTURE, UNION, VARIANT_PART}:
        for element in module.metadata_operands(operands[_ELEMENTS]) if operands[_ELEMENTS] else []:
            field = module.metadata_operands(element)
            if module.metadata_tag(element) == MEMBER:
                inside = path if name.startswith("&") else f"{path}.{module.metadata_string(field[_NAME]).removeprefix('__')}"
                yield field[_BASE_TYPE], inside, False
            elif module.metadata_tag(element) == VARIANT_PART:
                yield element, path, False


def _pointees(module: Module, pointer: Value) -> list[Value]:
    is_pointer = pointer and module.metadata_tag(pointer) == POINTER
    return [module.metadata_operands(pointer)[_BASE_TYPE]] if is_pointer else []


def _leaves(module: Module, node: Value, path: str) -> Iterator[Leaf]:
    operands = module.metadata_operands(node)
    tag, name = module.metadata_tag(node), module.metadata_string(operands[_NAME])
    if tag == ARRAY:
        yield from _leaves(module, operands[_BASE_TYPE], f"{path}[_]")
    elif name.startswith(_WRAPPERS) or (tag == STRUCTURE and not name.startswith(_NON_ZERO)):
        for field, ty in _fields(module, operands[_ELEMENTS]):
            inside = path if name.startswith(_WRAPPERS) else f"{path}.{field}"
            yield from _leaves(module, ty, inside) if ty else [Leaf(path, name, "enum")]
    elif name != "()":
        yield Leaf(path, name, _kind(tag, name))


def _kind(tag: int, name: str) -> str:
    if tag == BASE:
        return "float" if name in FLOAT_BITS else "number"
    kinds = {STRUCTURE: "nonzero", POINTER: "pointer", ENUMERATION: "enum", UNION: "union"}
    return kinds.get(tag, "unknown")


def _fields(module: Module, elements: Value) -> Iterator[tuple[str, Value]]:
    """Names and types of the fields; no type for the part of an enum that is one of several."""
    for element in module.metadata_operands(elements) if elements else []:
        operands = module.metadata_operands(element)
        match module.metadata_tag(element):
            case tag if tag == MEMBER:
                yield module.metadata_string(operands[_NAME]).removeprefix("__"), operands[_BASE_TYPE]
            case tag if tag == VARIANT_PART:
                yield "", 0


# ---- Parts of types, one by one


@dataclass(frozen=True)
class Variant:
    """A variant of an enum: its name, its fields' struct, and the number that says that it is this one; None: any other."""

    name: str
    type: Value
    tag: int | None

    @property
    def is_tagged(self) -> bool:
        """Whether a tag of its own says that it is this one."""
        return self.tag is not None


def name(module: Module, ty: Value) -> str:
    """The name of a type, field or function as debug info has it."""
    return module.metadata_string(module.metadata_operands(ty)[_NAME])


def identifier(module: Module, ty: Value) -> str:
    """What tells a struct or an enum from all others, in every module; empty for other types."""
    return module.metadata_string(module.metadata_operands(ty)[_IDENTIFIER]) if module.metadata_tag(ty) == STRUCTURE else ""


def type_name(module: Module, ty: Value) -> str:
    """The name of a type; an array's, which has none, from its element's."""
    if not ty:
        return "()"
    if module.metadata_tag(ty) != ARRAY:
        return name(module, ty) or "?"
    element = base_type(module, ty)
    size = module.type_bits(element) if element else 0
    return f"[{type_name(module, element)}; {module.type_bits(ty) // size if size else '_'}]"


def base_type(module: Module, node: Value) -> Value:
    """What a pointer points to, an array is made of, a member holds; 0 for nothing."""
    return module.metadata_operands(node)[_BASE_TYPE]


def elements(module: Module, ty: Value) -> list[Value]:
    """The members, variants or enumerators of a type."""
    node = module.metadata_operands(ty)[_ELEMENTS]
    return module.metadata_operands(node) if node else []


def members(module: Module, ty: Value) -> list[Value]:
    """The fields of a struct, tuple or union."""
    return [element for element in elements(module, ty) if module.metadata_tag(element) == MEMBER]


def initialised(module: Module, ty: Value) -> Value:
    """What a `MaybeUninit` may hold; any other type as it is."""
    if not name(module, ty).startswith(_WRAPPERS[0]):
        return ty
    while name(module, ty).startswith(_WRAPPERS):
        ty = base_type(module, members(module, ty)[-1])
    return ty


def field_path(module: Module, ty: Value, field: Value, path: str) -> str:
    """What a user would call a field of `path`."""
    return path if name(module, ty).startswith(_WRAPPERS) else f"{path}.{name(module, field).removeprefix('__')}"


def behind(module: Module, path: str, pointee: Value) -> str:
    """What a user would call what the pointer `path` points to; of a slice the first element."""
    if path.endswith(_DATA):
        return f"{path.removesuffix(_DATA)}[0]"
    return f"*{path}" if module.metadata_tag(pointee) in {BASE, POINTER, ENUMERATION} else path


def variant_part(module: Module, ty: Value) -> Value:
    """The part of an enum's type that is one of several; 0 for what is no enum with fields."""
    found = (element for element in elements(module, ty) if module.metadata_tag(element) == VARIANT_PART)
    return next(found, 0)


def variants(module: Module, part: Value) -> list[Variant]:
    """The variants in a part that is one of several."""
    found = [(element, module.metadata_operands(element)) for element in elements(module, part)]
    return [Variant(name(module, element), ops[_BASE_TYPE], _number(module, ops[_EXTRA_DATA])) for element, ops in found]


def _number(module: Module, constant: Value) -> int | None:
    return int(module.api.ConstIntGetZExtValue(constant)) if constant else None


def discriminator(module: Module, part: Value) -> Value:
    """The member that says which variant it is; 0 where only one is possible."""
    operands = module.metadata_operands(part)
    return operands[_DISCRIMINATOR] if len(operands) > _DISCRIMINATOR else 0

"""Functions of the standard library that deal with text and with the outside have no derivative, and Enzyme is told so.

Printing and formatting, files, locks, random keys, the environment, threads, what the processor can do: Enzyme has no
derivative of what they call in the end.  It is not shown these functions, and calls them as they stand.  Only those out of
which no float can come, neither by a result nor by anything written down there, be it in a `Display` of the user's own.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from pipeline.analyses.allocations import frees_what_it_takes
from pipeline.analyses.debug_info import path, signature_types, type_name
from pipeline.analyses.effects import Effects, asks_the_system, is_stds, prints
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.llvm_inspect import Inspector

_OUTSIDE = {"std", "std_detect"}
"""The crates that are about the outside, the processor among it: `core` and `alloc` hold what needs no operating system."""
_CARRIES = {"collections", "f32", "f64", "num", "sync", "thread"}
"""Its modules that are not, or hold what others give them."""
_HASHES = ["core", "hash"]
_IN_CORE = (["core", "fmt"], ["alloc", "fmt"], _HASHES)
"""The modules elsewhere that are about text; and what becomes of a value in a hash is no number of it."""
TABLE, _GROWS = ["hashbrown", "raw"], "reserve_rehash"
"""The module of hash tables, and the function in it that gives another what hashes elements as a table grows."""
_CALLED = f"::{_GROWS}::{{closure_env"
"""In the name of what has such a closure called by a vtable."""
_TEXTS = ("core::fmt::Formatter", "core::fmt::Arguments")
_TEXT_BYTES = 24
"""What a `String` takes."""
_READS = "read"
"""What brings bytes from outside into memory that somebody else has given begins with this."""
APART = "crategrad_apart_"
"""Before the name of a function, that of another which calls it for those whose text is their own."""
_TO_ENZYME = ("enzyme_inactive", "enzyme_ta_norecur", "enzyme_no_escaping_allocation")


def say_inactive(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Say it of those that the shims reach, or of some of their calls; a line for each."""
    done = []
    for function, calls in _outermost(editor, shims).items():
        own = [call for call in calls if _is_own_text(editor, call)]
        if own == calls:
            hide(editor, function)
            done.append(f"apart: {editor.module.name(function)}")
        elif own:
            _hide_calls(editor, function, own)
            done.append(f"apart: {len(own)} of {editor.module.name(function)}")
    return done


def _outermost(editor: Editor, shims: Sequence[Value]) -> dict[Value, list[Value]]:
    """The functions that are inactive, and are called or mentioned by what is not; of one that writes text, the calls, too."""
    effects = Effects(editor)
    known, waiting = set(shims), list(shims)
    found: list[Value] = []
    while waiting:
        mentioned = (f for f in editor.functions_mentioned(waiting.pop()) if editor.module.is_defined(f) and f not in known)
        for function in filter(lambda one: not editor.is_inactive(one), mentioned):
            known.add(function)
            is_apart = deals_with_the_outside(editor, function) and not effects.gives_floats(function)
            is_apart = asks_the_system(editor, function) or (is_apart and not frees_what_it_takes(editor, function))
            (found if is_apart else waiting).append(function)
    looked_at = known - set(found)
    return {function: _calls(editor, function, looked_at) if _writes_text(editor, function) else [] for function in found}


def _calls(editor: Editor, function: Value, callers: Container[Value]) -> list[Value]:
    calls = (user for user in editor.module.users(function) if editor.module.is_call(user))
    return [call for call in calls if editor.module.callee(call) == function and editor.module.parent(call) in callers]


def _writes_text(inspector: Inspector, function: Value) -> bool:
    """Whether a function writes text to what its first argument points to: not to a hasher, which keeps none."""
    where = path(inspector.module, inspector.module.subprogram(function))
    return "write" in where[-1] and where[:2] != _HASHES


def _is_own_text(editor: Editor, call: Value) -> bool:
    """Whether what is written to is a `String` on the stack, and its memory nobody else's.

    Elsewhere Enzyme has shadows of the pointers in it, which would go on pointing to what is freed as the text grows.
    """
    place = editor.module.arguments(call)[0]
    if editor.api.IsConstant(place):
        return True
    is_text = bool(editor.api.IsAAllocaInst(place)) and editor.size_of(editor.allocated_type(place)) == _TEXT_BYTES
    return is_text and not any(_may_be_others(editor, user, place) for user in editor.users_through_offsets(place))


def _may_be_others(editor: Editor, user: Value, place: Value) -> bool:
    """Whether a pointer to other memory may come to a place, or the place's address go elsewhere."""
    if editor.api.IsAStoreInst(user):
        value, to = editor.operands(user)
        is_handed_on = place in editor.bases(value) and not all(_is_read_as_text(editor, base) for base in editor.bases(to))
        return is_handed_on or not all(_is_new(editor, source) for source in editor.sources(value) if source != place)
    is_written = editor.is_bulk_write(user) and place in editor.bases(editor.module.arguments(user)[0])
    return is_written or _goes_elsewhere(editor, user)


def _is_read_as_text(editor: Editor, list_of_arguments: Value) -> bool:
    """Whether what is on the stack is written there, and then read by what deals with text alone."""
    if not editor.api.IsAAllocaInst(list_of_arguments):
        return False
    users = editor.users_through_offsets(list_of_arguments)
    return not any(editor.api.IsALoadInst(u) or editor.is_bulk_write(u) or _goes_elsewhere(editor, u) for u in users)


def _goes_elsewhere(editor: Editor, user: Value) -> bool:
    """Whether a pointer is handed on to a function that is not about text or the outside."""
    if not editor.module.is_call(user) or editor.is_intrinsic(user):
        return False
    callee = editor.module.callee(user)
    if editor.module.is_function(callee) and prints(editor, callee):
        return False
    return not editor.module.is_defined(callee) or not deals_with_the_outside(editor, callee)


def _is_new(editor: Editor, value: Value) -> bool:
    """True for an integer, a constant, and memory that was allocated just now."""
    return bool(editor.integer_bits(editor.api.TypeOf(value))) or _is_new_memory(editor, value)


def _is_new_memory(editor: Editor, value: Value) -> bool:
    if editor.api.IsAIntToPtrInst(value) or editor.api.IsAPtrToIntInst(value):  # as a `Result` of memory is one word
        return all(_is_new_memory(editor, source) for source in editor.sources(editor.operands(value)[0]))
    return bool(editor.api.IsConstant(value)) or (editor.module.is_call(value) and editor.is_fresh_memory(value))


def deals_with_the_outside(inspector: Inspector, function: Value) -> bool:
    """Whether a function is one of std's that are about text or the outside, or of anybody's that writes a value as text.

    Not one that returns by pointer more than numbers: Enzyme would leave out the shadow of the result's place.
    """
    if inspector.returns_by_pointer(function) and not _returns_numbers(inspector, function):
        return False
    if _hashes(inspector, function):
        return True
    if not is_stds(inspector, function):
        types = [type_name(inspector.module, ty) for ty in signature_types(inspector.module, function)]
        return any(text in ty for ty in types for text in _TEXTS)
    where = path(inspector.module, inspector.module.subprogram(function))
    is_outside = where[0] in _OUTSIDE and where[1] not in _CARRIES and not where[-1].startswith(_READS)
    return is_outside or where[:2] in _IN_CORE or where[-1].partition("<")[0] == "fmt"


def _hashes(inspector: Inspector, function: Value) -> bool:
    """Whether a function gives the hash of an element as a table grows: that of any map of the program may be called there."""
    where = path(inspector.module, inspector.module.subprogram(function))
    gives_number = bool(inspector.integer_bits(inspector.return_type(inspector.function_type(function))))
    is_closure = where[:2] == TABLE and _GROWS in where and where[-1].startswith("{closure")
    return gives_number and (is_closure or (where[:1] == ["core"] and _CALLED in where[-1]))


def _returns_numbers(inspector: Inspector, function: Value) -> bool:
    """Whether integers alone come to the place of a function's result: computed, constants, or what it gave itself."""
    place = inspector.parameters(function)[0]
    return all(_puts_number(inspector, function, user, place) for user in inspector.users_through_offsets(place))


def _puts_number(inspector: Inspector, function: Value, user: Value, place: Value) -> bool:
    if not inspector.is_plain_store(user) or not inspector.integer_bits(inspector.accessed_type(user)):
        return False
    value, to = inspector.operands(user)
    sources = inspector.sources(value) if place in inspector.bases(to) else []
    read = [source for source in sources if inspector.api.IsALoadInst(source)]
    own = {base for load in read for base in inspector.bases(inspector.operands(load)[0])}
    is_number = not any(map(inspector.api.IsAPtrToIntInst, sources))
    return bool(sources) and is_number and all(_is_its_result(inspector, function, base) for base in own)


def _is_its_result(inspector: Inspector, function: Value, memory: Value) -> bool:
    """Whether memory on the stack is the place for a result of the function itself, and nothing else comes there."""
    users = inspector.users_through_offsets(memory) if inspector.api.IsAAllocaInst(memory) else []
    return bool(users) and all(_reads_or_is_given(inspector, function, user, memory) for user in users)


def _reads_or_is_given(inspector: Inspector, function: Value, user: Value, memory: Value) -> bool:
    if inspector.api.IsALoadInst(user) or inspector.is_call_of(user, "llvm.lifetime."):
        return True
    is_call = inspector.module.is_call(user) and inspector.module.callee(user) == function
    return is_call and inspector.operands(user)[0] == memory


def hide(editor: Editor, function: Value) -> None:
    """See to it that Enzyme calls a function as it stands.

    It is said to free nothing: of what it frees, as of a text that grows, nothing is read again when adjoints are.  Floats that
    it returns are said to be that: nobody looks into it to see.
    """
    editor.add_until_opt2(function)
    for attribute in _TO_ENZYME:
        editor.add_text_attribute(function, attribute)
    editor.say_floats(function)


def _hide_calls(editor: Editor, function: Value, calls: Sequence[Value]) -> None:
    """The same of some calls of a function: the others may be of what Enzyme would have to know."""
    editor.add_until_opt2(function)
    name = f"{APART}{editor.module.name(function)}"
    behind, *_ = editor.module.named([name]) or [editor.pass_on(name, editor.function_type(function), function)]
    hide(editor, behind)
    for call in calls:
        editor.give(call, function, behind)

"""Indirect calls become compare-and-call over everything that they can call.

Enzyme does not know what a pointer calls: a `fn` pointer that is constant has no derivative at all, a `dyn` method none
that it can find.  The whole program is here, so every candidate is: a method, whatever stands at its place in a vtable; any
other pointer, a function of that type whose address is taken.  Where there is none the call is never made, as that of a
`drop_in_place` of values with nothing to drop.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from pipeline.analyses import call_tree, origins
from pipeline.analyses.allocations import frees
from pipeline.analyses.control_flow import ControlFlow
from pipeline.analyses.debug_info import floats_reached, signature_types
from pipeline.analyses.effects import is_stds
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import opaque
from pipeline.repairs.apart import hide
from pipeline.repairs.inline import packed_parameter_sizes

MOST = 64
"""Candidates of one call: with more of them than that it is left alone, and refused if it matters."""

_STALE = ("captures", "readonly", "readnone", "writeonly")
"""What LLVM had found out about pointers that now are compared and handed on."""

_DROP = 0
"""At which byte of a vtable stands what drops the value; null where there is nothing to do."""

_NAME = "crategrad_dispatch_"


def indirect_calls(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Rewrite those that the shims reach, and those in what these call, and so on."""
    done: list[str] = []
    dispatchers: dict[call_tree.Kind, Value] = {}
    while True:
        tree = call_tree.call_tree(editor, shims)
        found = [(f, call) for f in tree for call in _calls(editor, f)]
        kinds = {call: (editor.called_type(call), editor.vtable_slot(editor.module.callee(call))) for _, call in found}
        for kind, caller in {kinds[call]: function for function, call in found}.items():
            candidates = [] if kind in dispatchers else call_tree.candidates(editor, kind)
            if kind not in dispatchers and len(candidates) <= MOST:
                hidden = _hidden(editor, candidates, tree) if kind[1] == _DROP else set()
                dispatchers[kind] = _dispatcher(editor, f"{_NAME}{len(dispatchers)}", kind, candidates, caller, hidden)
                names = ", ".join(editor.module.name(candidate) for candidate in candidates) or "nothing"
                done.append(f"dispatch: {editor.module.name(dispatchers[kind])} of {len(candidates)}: {names}")
        found = [(function, call) for function, call in found if kinds[call] in dispatchers]
        if not found:
            return done
        for function, call in found:
            editor.drop_parameter_attributes(function, *_STALE)
            if kinds[call][1] == _DROP:
                _call_always(editor, function, call)
            _rewrite(editor, call, dispatchers[kinds[call]])


def call_what_is_known(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Call by its name what has turned out to be the one function that a pointer is; a line for each function.

    Enzyme would want a shadow of what is handed over to be compared; and where there is nothing to drop, it would find what
    others drop, of other types.
    """
    done = []
    for function in call_tree.call_tree(editor, shims):
        found = [call for call in call_tree.calls(editor, function) if _is_known(editor, call)]
        for call in found:
            called, *arguments = editor.module.arguments(call)
            if editor.is_null(called):
                editor.api.InstructionEraseFromParent(call)
                continue
            with editor.module.before(call) as builder:
                editor.replace(call, editor.call(builder, editor.function_type(called), called, arguments))
        if found:
            done.append(f"dispatch: {len(found)} known by now in {editor.module.name(function)}")
    return done


def _is_known(editor: Editor, call: Value) -> bool:
    """Whether a dispatcher is called with a function, or with null: then there is nothing to drop."""
    module = editor.module
    if not module.name(module.callee(call)).rpartition(_NAME)[2].isdigit():
        return False
    called = module.arguments(call)[0]
    return module.is_function(called) or (editor.is_null(called) and editor.api.TypeOf(call) == editor.void_type())


def _calls(editor: Editor, function: Value) -> list[Value]:
    """The indirect calls in a function, but for those of what comes from outside of the program: no candidate is that."""
    calls = call_tree.indirect_calls(editor, function)
    return [call for call in calls if not origins.from_outside(editor, editor.module.callee(call))]


def _dispatcher(
    editor: Editor, name: str, kind: call_tree.Kind, candidates: Sequence[Value], caller: Value, hidden: Container[Value]
) -> Value:
    """Each candidate behind a function into which type analysis does not look: what `self` is differs between them."""
    ty, _ = kind
    called = {editor.null(): 0} if kind[1] == _DROP else {}
    for number, candidate in enumerate(candidates):
        called[candidate] = editor.pass_on(f"{name}.{number}", ty, candidate)
        editor.compile_like(caller, called[candidate])
        editor.add_text_attribute(called[candidate], "enzyme_ta_norecur")
        editor.say_floats(called[candidate])
        _say_integers(editor, called[candidate], candidate)
        if candidate in hidden:
            hide(editor, called[candidate])
    names = ", ".join(editor.module.name(candidate) for candidate in candidates) or "nothing"
    complaint = f"error: differentiated code called a pointer that is none of what it could be here: {names}\n"
    dispatcher = editor.compare_and_call(name, ty, called, complaint)
    editor.compile_like(caller, dispatcher)
    if len(candidates) > 1:
        _forget_types(editor, dispatcher)
    return dispatcher


def _say_integers(editor: Editor, function: Value, candidate: Value) -> None:
    """Tell Enzyme which parameters of what passes them on to a candidate are integers, and no packed floats, by debug info.

    It does not look there for their types: a length, or a count, would have a derivative for all that it knows.
    """
    packed = packed_parameter_sizes(editor, candidate)
    types = editor.parameter_types(editor.function_type(candidate)) if signature_types(editor.module, candidate) else []
    for index, ty in enumerate(types, 1):
        if (bits := editor.integer_bits(ty)) and bits not in packed:
            editor.add_text_attribute(function, "enzyme_type", "{[-1]:Integer}", index)


def _hidden(editor: Editor, candidates: Sequence[Value], tree: Iterable[Value]) -> set[Value]:
    """What drops no floats, and need not be differentiated.

    But what drops a value that may have been made in sight of Enzyme, and frees memory: Enzyme frees what is allocated in its
    sight at the end, and leaves out every other `free` that it sees.
    """
    made_here = {mentioned for function in tree for mentioned in editor.functions_mentioned(function)}
    without_floats = {candidate for candidate in candidates if not _drops_floats(editor, candidate)}
    return {candidate for candidate in without_floats if candidate not in made_here or not frees(editor, candidate)}


def _forget_types(editor: Editor, dispatcher: Value) -> None:
    """Hand on pointers of which type analysis does not know what they point to: the caller may have seen another `self`.

    Of an address that is counted by what it does not know it keeps what is so at every place, if anything.
    """
    _, *arguments = editor.parameters(dispatcher)
    pointers = [argument for argument in arguments if editor.api.TypeOf(argument) == editor.pointer_type()]
    users = {pointer: editor.module.users(pointer) for pointer in pointers}
    begin = next(editor.module.instructions(dispatcher))
    for pointer in pointers:
        nowhere = opaque.same(editor, editor.module.int64(0), begin)
        with editor.module.before(begin) as builder:
            same = editor.element(builder, pointer, nowhere, 1)
        for user in users[pointer]:
            editor.give(user, pointer, same)


def _drops_floats(editor: Editor, function: Value) -> bool:
    """Whether what a function drops leads to floats, for all that is known; not what std itself drops, which has no types."""
    types = signature_types(editor.module, function)
    if not types:
        return not is_stds(editor, function)
    return any(not ty or bool(floats_reached(editor.module, ty)) for ty in types[1:])


def _call_always(editor: Editor, function: Value, call: Value) -> None:
    """Leave it to what is called whether there is anything to drop.

    Enzyme moves what follows a call that it differentiates in one piece into the branch of the call: what the function
    returns would then be set only where something was dropped.
    """
    flow = ControlFlow(editor.module, function)
    block, pointer = editor.api.GetInstructionParent(call), editor.module.callee(call)
    for branch in flow.choices():
        condition, successors = flow.condition(branch), flow.successors(branch)
        if block in successors and editor.is_comparison_with_null(condition, pointer):
            flow.decide(branch, editor.api.ConstInt(editor.integer(1), int(successors[0] == block), 0))


def _rewrite(editor: Editor, call: Value, dispatcher: Value) -> None:
    module = editor.module
    arguments = [module.callee(call), *module.arguments(call)]
    with module.before(call) as builder:
        editor.replace(call, editor.call(builder, editor.function_type(dispatcher), dispatcher, arguments))

"""Panics stay: a check whose other branch never returns becomes a call that returns only where all is well.

Enzyme takes what ends in a panic for unreachable and drops the check with it: an index out of bounds would be read in the
derivative, where the function itself panics.  The call of an inactive function is made as it stands, in the sweep that
computes the primal, and a loop keeps its single exit.  opt2 inlines it again.

So is what is called and never returns, where nobody has said so there: a candidate of a pointer that panics, or the complaint
that a pointer is no candidate at all.  Enzyme would take the call, and the branch to it, for unreachable.

Enzyme says of every call that it returns, and LLVM then concludes from what follows that the check holds: from a read of
three elements that the index is below three.  So what is compared is hidden from it.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.control_flow import ControlFlow
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.locations import told_when_run
from pipeline.repairs import opaque
from pipeline.repairs.inline import CLEAN


def keep(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Make calls of the checks in all that the shims reach; a line for each function."""
    for shim in shims:
        if _never_returns(editor, shim):
            editor.return_after_all(shim)
    done = []
    for function in call_tree(editor, shims):
        flow = ControlFlow(editor.module, function)
        ending = flow.never_returning()
        checks = [check for check in flow.choices() if len(ending & set(flow.successors(check))) == 1]
        count = sum(_keep(editor, flow, check, ending) for check in checks)
        called = filter(editor.module.is_call, editor.module.returning_instructions(function))
        ends = [call for call in called if _never_returns(editor, editor.module.callee(call))]
        for call in ends:
            _end_there(editor, call)
        if count := count + len(ends):
            editor.run_passes(CLEAN, function)
            done.append(f"panics: {count} in {editor.module.name(function)}")
    return done


def _never_returns(editor: Editor, function: Value) -> bool:
    if not editor.module.is_defined(function):
        return editor.module.is_function(function) and editor.has_attribute(function, "noreturn")
    flow = ControlFlow(editor.module, function)
    return next(iter(flow.ends)) in flow.never_returning()


def _end_there(editor: Editor, call: Value) -> None:
    """In the place of a call that never returns call what returns for all that is known, and go on with nothing."""
    function, taken = _copied(editor, [call], editor.api.GetInstructionParent(call))
    with editor.module.before(call) as builder:
        always = editor.api.ConstInt(editor.integer(1), 1, 0)
        editor.call(builder, editor.function_type(function), function, [always, *taken])
    if editor.api.TypeOf(call) != editor.void_type():
        editor.api.ReplaceAllUsesWith(call, editor.api.ConstNull(editor.api.TypeOf(call)))
    editor.api.InstructionEraseFromParent(call)


def _keep(editor: Editor, flow: ControlFlow, check: Value, ending: set[Value]) -> bool:
    """Call instead of branching; not where the other branch holds nothing: then the compiler was promised that."""
    successors = flow.successors(check)
    block = next(block for block in successors if block in ending)
    panic = [i for i in editor.module.instructions_of(block) if i != flow.ends[block]]
    if not panic:
        return False
    fails_if_true = successors[0] == block
    with editor.module.before(check) as builder:
        condition = _hidden(editor, flow.condition(check), check)
        fails = condition if fails_if_true else editor.api.BuildNot(builder, condition, b"")
        if flow.successors(flow.ends[block]):  # more than a call that never returns: what it says is lost
            function, taken = _complaining(editor, check)
        else:
            function, taken = _copied(editor, panic, editor.api.GetInstructionParent(check))
        editor.call(builder, editor.function_type(function), function, [fails, *taken])
    flow.decide(check, editor.api.ConstInt(editor.integer(1), int(not fails_if_true), 0))
    return True


def _hidden(editor: Editor, condition: Value, check: Value) -> Value:
    """A condition once more, by comparisons of which nobody knows what they compare."""
    if not editor.is_logic(condition) and not editor.api.IsAICmpInst(condition):
        return opaque.same(editor, condition, check)
    hide = opaque.same if editor.api.IsAICmpInst(condition) else _hidden
    operands = [hide(editor, one, check) if editor.is_local(one) else one for one in editor.operands(condition)]
    with editor.module.before(check) as builder:
        made = editor.copy(builder, condition)
    for index, operand in enumerate(operands):
        editor.api.SetOperand(made, index, operand)
    return made


def _complaining(editor: Editor, check: Value) -> tuple[Value, list[Value]]:
    """A function that ends the program with a word of ours, and the values it takes: none."""
    function = _declared(editor, [])
    place = told_when_run(editor, editor.module.users_place(check))
    with editor.ending_if_first(function) as builder:
        editor.end_program(builder, "error: differentiated code panicked at ", *place, "\n")
    return function, []


def _copied(editor: Editor, panic: Sequence[Value], came_from: Value) -> tuple[Value, list[Value]]:
    """A function that does what a block does, and the values it takes for that."""
    stands_for = {i: editor.incoming_from(i, came_from) for i in panic if editor.api.IsAPHINode(i)}
    done = [i for i in panic if i not in stands_for and not editor.is_lifetime(i)]
    used = dict.fromkeys(stands_for.get(value, value) for i in done for value in editor.operands(i))
    done = [value for value in used if editor.api.IsAAllocaInst(value) and _is_used_by(editor, value, panic)] + done
    taken = [value for value in used if value not in done and editor.is_local(value)]
    function = _declared(editor, [editor.api.TypeOf(value) for value in taken])
    made = dict(zip(taken, editor.parameters(function)[1:], strict=True))
    with editor.ending_if_first(function) as builder:
        for instruction in done:
            made[instruction] = editor.copy(builder, instruction)
            for index, operand in enumerate(editor.operands(instruction)):
                value = stands_for.get(operand, operand)
                editor.api.SetOperand(made[instruction], index, made.get(value, value))
        editor.api.BuildUnreachable(builder)
    return function, taken


def _is_used_by(editor: Editor, value: Value, instructions: Sequence[Value]) -> bool:
    return set(editor.module.users(value)) <= set(instructions)


def _declared(editor: Editor, types: Sequence[Value]) -> Value:
    function = editor.internal_function("crategrad_check", editor.void_type(), [editor.integer(1), *types])
    opaque.hide(editor, function, may_end=True)
    return function

"""Indirect calls become compare-and-call over everything that they can call.

Enzyme does not know what a pointer calls: a `fn` pointer that is constant has no derivative at all, a `dyn` method none
that it can find.  The whole program is here, so every candidate is: a function of that type whose address is taken, be it
in a vtable.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline import call_tree
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor

MOST = 64
"""Candidates of one call: with more of them than that it is left alone, and refused if it matters."""

_STALE = ("captures", "readonly", "readnone", "writeonly")
"""What LLVM had found out about pointers that now are compared and handed on."""


def indirect_calls(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Rewrite those that the shims reach, and those in what these call, and so on."""
    module = editor.module
    done: list[str] = []
    dispatchers: dict[Value, Value] = {}
    while True:
        found = [(f, call) for f in call_tree.call_tree(editor, shims) for call in call_tree.indirect_calls(editor, f)]
        types = {call: editor.called_type(call) for _, call in found}
        for ty in dict.fromkeys(types.values()):
            candidates = [] if ty in dispatchers else _candidates(editor, ty)
            if 0 < len(candidates) <= MOST:
                dispatchers[ty] = editor.compare_and_call(f"crategrad_dispatch_{len(dispatchers)}", ty, candidates)
                names = ", ".join(module.name(candidate) for candidate in candidates)
                done.append(f"dispatch: {module.name(dispatchers[ty])} of {len(candidates)}: {names}")
        found = [(function, call) for function, call in found if types[call] in dispatchers]
        if not found:
            return done
        for function, call in found:
            editor.drop_parameter_attributes(function, *_STALE)
            _rewrite(editor, call, dispatchers[types[call]])


def _candidates(editor: Editor, ty: Value) -> list[Value]:
    """The functions of a type that something else than a direct call uses."""
    module = editor.module
    functions = [f for f in module.functions() if editor.function_type(f) == ty and module.is_defined(f)]
    return [f for f in functions if any(not module.is_call(user) or module.callee(user) != f for user in module.users(f))]


def _rewrite(editor: Editor, call: Value, dispatcher: Value) -> None:
    module = editor.module
    arguments = [module.callee(call), *module.arguments(call)]
    with module.before(call) as builder:
        editor.replace(call, editor.call(builder, editor.function_type(dispatcher), dispatcher, arguments))

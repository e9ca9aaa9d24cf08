"""Memory that begins with constants has tangents of its own where other memory may take its place: `vec![0.5; n]` in a loop
that replaces it.

To what nothing but constants are stored, forward mode makes no shadow, though it is said to be active (mixed): chosen from,
the memory would be its own shadow, and the constants their own tangents.  So what is stored comes from a function that is
said to be active, which opt2 inlines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipeline.analyses.allocations import kept
from pipeline.analyses.call_tree import call_tree
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import opaque


def make_active(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Have constants in memory that is chosen from active, in all that the shims reach; a line for each function."""
    done = []
    for function in call_tree(editor, shims):
        memories = kept(editor, function)
        stores = {store for memory in memories for store in _stores(editor, memory) if _stores_constant(editor, store)}
        for store in sorted(stores):
            editor.api.SetOperand(store, 0, opaque.active(editor, editor.operands(store)[0], store))
        if stores:
            done.append(f"beginnings: {len(stores)} in {editor.module.name(function)}")
    return done


def _stores(editor: Editor, memory: Value) -> Iterator[Value]:
    """The stores to places in the memory that are computed, or chosen, in steps from its own."""
    known, waiting = {memory}, [memory]
    while waiting:
        place = waiting.pop()
        for user in editor.module.users(place):
            if editor.is_plain_store(user) and editor.operands(user)[1] == place:
                yield user
            elif user not in known and (editor.is_choice(user) or editor.api.IsAGetElementPtrInst(user)):
                known.add(user)
                waiting.append(user)


def _stores_constant(editor: Editor, store: Value) -> bool:
    """Whether it is of a float that is not zero, which is its own tangent."""
    value = editor.operands(store)[0]
    return editor.is_float(value) and editor.is_constant(value) and not editor.api.IsNull(value)

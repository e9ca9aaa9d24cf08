"""What reverse mode computes again, outside of a loop, from how often an inner loop of it ran: it asks that of no known run.

What is made of an induction variable Enzyme does not keep.  Outside of the loop it takes the variable's last value, which is
how often the loop ran; and where that is a loop within another one that is left, too, it looks that up for a run of the
outer one that is undefined (`lookupM` in its GradientUtils.cpp).

It asks so for values that are used there, and for conditions: where several ways come together it looks for one branch that
decides between them (`branchToCorrespondingTarget`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from pipeline.analyses.control_flow import ControlFlow, Edge, Loop, edges_back
from pipeline.analyses.hidden import ACTIVE, KEPT, is_of
from pipeline.analyses.uses import Uses
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector


def asked_outside(inspector: Inspector, flow: ControlFlow, loops: Sequence[Loop]) -> Iterator[Value]:
    """Ends of blocks that may be asked so: of inner loops, or made of how often one ran; none that asks what is kept."""
    around = {block: [loop for loop in loops if block in loop.blocks] for block in flow.ends}
    made = {loop.header: _Made(inspector, loop, inner).values() for loop in loops if (inner := _inner(loop, loops))}
    ends = [(block, end) for block in around if _decides(inspector, flow, end := flow.ends[block])]
    ways = [_Ways(flow, loops, turned_round=turned) for turned in (False, True)] if ends else []
    for block, end in ends:
        asks = [loop for loop in around[block][:1] if asked(inspector, end) in made.get(loop.header, ())] + around[block][1:]
        if any(way.are_told_apart(block, loop) for way in ways for loop in asks):
            yield end


def used_outside(inspector: Inspector, loops: Sequence[Loop]) -> dict[Value, list[Value]]:
    """What is made of the induction variables of inner loops and used outside of a loop around these; and where it is used."""
    found: dict[Value, list[Value]] = {}
    for loop in loops:
        if inner := _inner(loop, loops):
            for value in _Made(inspector, loop, inner).values():
                if uses := users_outside(inspector, value, loop.blocks):
                    found.setdefault(value, uses)
    return found


def chosen_pointers(
    inspector: Inspector, flow: ControlFlow, loops: Iterable[Loop]
) -> Iterator[tuple[Loop, dict[Value, list[Value]]]]:
    """The pointers that a loop hands from each of its runs to the next, as it chose them, and that are used outside of it; and
    where each is used there, but for panics.

    So is the memory of a `Vec` that may grow in the loop.  Where the loop itself reads by it, Enzyme keeps what each run has
    begun with, and makes the last choice again of that, in no known run.
    """
    for loop in loops:
        within = loop.blocks | flow.never_returning()
        phis = filter(inspector.api.IsAPHINode, inspector.module.instructions_of(loop.header))
        pointers = [phi for phi in phis if inspector.api.TypeOf(phi) == inspector.pointer_type()]
        read = [phi for phi in pointers if _is_read_by(inspector, phi, loop)]
        chosen = (one for phi in read for one in _chosen_from(inspector, phi, loop))
        if found := {one: users for one in chosen if (users := users_outside(inspector, one, within))}:
            yield loop, found


def begun_anew(inspector: Inspector, loops: Sequence[Loop]) -> Iterator[Value]:
    """What a run of a loop begins with that the last one computed, when an inner loop was over, of what that had made; where
    the inner loop is led to it.

    There Enzyme computes it again of the last run of the loop, and of the very run of the inner one that it is in
    (`prevAvailable` in `unwrapM` in its GradientUtils.cpp).  What the inner loop left is kept as it is, if nothing is computed
    of it, and so is what is made of what the run before began with.
    """
    for loop in loops:
        inner = _inner(loop, loops)
        for phi in filter(inspector.api.IsAPHINode, inspector.module.instructions_of(loop.header)) if inner else ():
            blocks = _made_in(inspector, phi, loop, inner)
            left = [one for one in inner if not one.blocks.isdisjoint(blocks)]
            led = _led_to(inspector, phi, loop) if left else set()
            if any(not one.blocks.isdisjoint(led) for one in left):
                yield phi


def _made_in(inspector: Inspector, phi: Value, loop: Loop, inner: Iterable[Loop]) -> set[Value]:
    """The blocks of a loop in which is computed what its next run begins with; none where that is kept."""
    again = [inspector.incoming_from(phi, block) for block in loop.latches]
    waiting = [] if _are_left(inspector, again, loop.header, inner) else again
    found: dict[Value, Value] = {}
    while waiting:
        value = waiting.pop()
        block = _block(inspector, value)
        if value not in found and block in loop.blocks and not is_of(inspector, (KEPT, ACTIVE), value):
            found[value] = block
            made_of = inspector.operands(value)
            is_phi = inspector.api.IsAPHINode(value)
            is_kept = is_phi and (block == loop.header or _are_left(inspector, made_of, block, inner))
            waiting += [] if is_kept else made_of
    return set() if phi in found else set(found.values())


def _are_left(inspector: Inspector, values: Iterable[Value], block: Value, inner: Iterable[Loop]) -> bool:
    """Whether one of the values that come together in a block is what an inner loop left that is over there."""
    over = [one for one in inner if block not in one.blocks]
    return any(_block(inspector, value) in one.blocks for value in values for one in over)


def _block(inspector: Inspector, value: Value) -> Value:
    """Where a value is made; 0 of what no instruction makes."""
    return int(inspector.api.GetInstructionParent(value)) if inspector.api.IsAInstruction(value) else 0


def _led_to(inspector: Inspector, phi: Value, loop: Loop) -> set[Value]:
    """The blocks of a loop in which something is made of a value, but where it is kept."""
    found: set[Value] = set()
    uses = Uses(inspector.module, [phi])
    for _, user in uses:
        block = _block(inspector, user)
        is_next = block == loop.header and inspector.api.IsAPHINode(user)
        if block in loop.blocks and not is_next and not is_of(inspector, (KEPT, ACTIVE), user):
            found.add(block)
            uses.follow([user])
    return found


def _is_read_by(inspector: Inspector, pointer: Value, loop: Loop) -> bool:
    """Whether a loop loads what lies behind a pointer, be it at an offset."""
    uses = Uses(inspector.module, [pointer])
    for value, user in uses:
        if inspector.api.GetInstructionParent(user) in loop.blocks:
            if inspector.is_plain_load(user):
                return True
            if inspector.api.IsAGetElementPtrInst(user) and inspector.operands(user)[0] == value:
                uses.follow([user])
    return False


def _chosen_from(inspector: Inspector, phi: Value, loop: Loop) -> list[Value]:
    """What a loop chooses in a run of it from what that begins with, and may be that itself."""
    found: dict[Value, None] = {}
    uses = Uses(inspector.module, [phi])
    for _, user in uses:
        if user != phi and inspector.is_choice(user) and inspector.api.GetInstructionParent(user) in loop.blocks:
            found[user] = None
            uses.follow([user])
    return list(found)


def users_outside(inspector: Inspector, value: Value, blocks: Collection[Value]) -> list[Value]:
    """What uses a value, but in these blocks."""
    return [user for user in inspector.module.users(value) if inspector.api.GetInstructionParent(user) not in blocks]


def _inner(loop: Loop, loops: Iterable[Loop]) -> list[Loop]:
    return [one for one in loops if one.blocks < loop.blocks]


def asked(inspector: Inspector, end: Value) -> Value:
    """What a branch or a switch goes by."""
    return inspector.operands(end)[0]


def _decides(inspector: Inspector, flow: ControlFlow, end: Value) -> bool:
    if len(set(flow.successors(end))) < 2 or not inspector.is_local(asked(inspector, end)):
        return False
    return not is_of(inspector, KEPT, asked(inspector, end))


class _Ways:
    """The ways on from each block that enter no block of a loop again.

    Enzyme turns loops round: what is left at its header is left at its end, then.  Where that is so a way may go by the header
    of a loop again if that leaves it.
    """

    def __init__(self, flow: ControlFlow, loops: Iterable[Loop], *, turned_round: bool) -> None:
        self.flow = flow
        self.following = {block: flow.successors(end) for block, end in flow.ends.items()}
        self.back = edges_back(loops)
        self.turned_round = turned_round
        self.known: dict[Edge, set[Edge]] = {}

    def are_told_apart(self, block: Value, loop: Loop) -> bool:
        """Whether to a block outside of a loop each way on from this one comes from other blocks than the others."""
        ways = [self._on((block, after)) for after in dict.fromkeys(self.following[block])]
        for join, before in self.flow.predecessors.items():
            if join not in loop.blocks and len(set(before)) > 1:
                comes = [{one for one in before if (one, join) in way} for way in ways]
                if all(comes) and len(set.union(*comes)) == sum(map(len, comes)):
                    return True
        return False

    def _on(self, first: Edge) -> set[Edge]:
        """An edge and all that may be taken after it."""
        if first not in self.known:
            taken = self.known[first] = set()
            waiting = [first]
            while waiting:
                edge = waiting.pop()
                if edge not in taken:
                    taken.add(edge)
                    waiting += self._after(edge)
        return self.known[first]

    def _after(self, edge: Edge) -> Iterator[Edge]:
        _, block = edge
        again = self.back.get(edge)
        for after in self.following[block]:
            if not again or (self.turned_round and after not in again.blocks):
                yield block, after


class _Made:
    """What in a loop is made of the induction variables of inner loops and of nothing that Enzyme keeps."""

    def __init__(self, inspector: Inspector, loop: Loop, inner: Iterable[Loop]) -> None:
        self.inspector = inspector
        self.api = inspector.api
        self.loop = loop
        self.inner = list(inner)
        self.headers = {one.header for one in [loop, *self.inner]}
        self.known: dict[Value, bool] = {}

    def values(self) -> dict[Value, None]:
        """The values, the variables among them, in an order that is always the same."""
        found: dict[Value, None] = {}
        waiting = [
            phi for loop in self.inner for phi in self.inspector.module.instructions_of(loop.header) if self._counts(phi)
        ]
        while waiting:
            value = waiting.pop()
            if value not in found:
                found[value] = None
                waiting += [user for user in self.inspector.module.users(value) if self._is_in(user) and self._is_made(user)]
        return found

    def _counts(self, value: Value) -> bool:
        return bool(self.api.IsAPHINode(value)) and not self.inspector.is_float(value)

    def _is_in(self, value: Value) -> bool:
        return bool(self.api.IsAInstruction(value)) and self.api.GetInstructionParent(value) in self.loop.blocks

    def _is_made(self, value: Value) -> bool:
        """Whether a value may be computed again from what it is made of."""
        if not self._is_in(value):
            return True
        if value not in self.known:
            self.known[value] = True  # through a loop's header it may come back to itself
            self.known[value] = self._may_be_made(value)
        return self.known[value]

    def _may_be_made(self, value: Value) -> bool:
        if self.api.IsAPHINode(value) and self.api.GetInstructionParent(value) in self.headers:
            return self._counts(value)
        is_kept = is_of(self.inspector, (KEPT, ACTIVE), value)
        return not is_kept and all(map(self._is_made, self.inspector.operands(value)))

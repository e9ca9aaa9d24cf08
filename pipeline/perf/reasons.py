"""Why something is kept, and what can be written instead."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pipeline.analyses.addresses import address
from pipeline.analyses.allocations import is_allocation
from pipeline.analyses.debug_info import name
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector
from pipeline.perf.numbering import Numbered
from pipeline.perf.origins import Origins
from pipeline.perf.remarks import Remarks

# The words by which a reason is known in JSON.
MAY_ALIAS, OVERWRITTEN, WRITTEN_BY_CALL, BY_CALLER = "may alias", "overwritten", "written by a call", "written by the caller"
CARRIED, CHOSEN, CALLED, OTHER = "carried", "chosen", "result of a call", "not computed again"
TAPE_OF_CALL, MEMORY = "tape of a call", "allocated"

_KNOWN = "a function of its own, as arguments `&[f64]` and `&mut [f64]`: such are known to be apart"
_APART = f"hand the two to {_KNOWN}; fields, halves of `split_at_mut` and raw pointers need not be"
_ANEW = "write to another slice than the one that is read: what stays as it was is not kept"
_SPLIT = f"if the two never meet, split it (`split_at_mut`) and hand the parts to {_KNOWN}; else {_ANEW}"
_INLINE = "`#[inline(always)]` shows it together with who calls it; or read into a local array, and compute from that"
_WITHOUT = "do without it (an iterator computes each element where it is used), or allocate it once, outside of the loop"
_FEWER = "what is only added up, or multiplied by what no derivative is wanted of, is not kept"


@dataclass(frozen=True)
class Reason:
    """Why something is kept, in words; the place of what forces it; and what can be done, if anything."""

    word: str
    why: str
    place: str | None = None
    help: str = ""


def of_call(function: str, *, is_recursive: bool) -> Reason:
    """Why a call leaves something for later: its function is differentiated by itself, in two halves."""
    called = f"`{function}`" if function else "what is called"
    if is_recursive:
        return Reason(TAPE_OF_CALL, f"{called} calls itself: its forward half leaves here what its reverse half needs")
    why = f"{called} is not inlined: its forward half leaves here what its reverse half needs"
    return Reason(TAPE_OF_CALL, why, help=f"`#[inline(always)]` on {called} has both done as one")


def of_memory() -> Reason:
    """Why an address is kept: the memory is allocated anew in each iteration."""
    why = "it is allocated in each iteration, and the reverse sweep needs all of them: none is freed before"
    return Reason(MEMORY, why, help="allocate once, outside of the loop, and write over it")


def of_address() -> Reason:
    """Why the address of a shadow is kept: what it was read from is not there any more."""
    return Reason(OTHER, "the reverse sweep writes there, and cannot find the address again")


def of_end() -> Reason:
    """Why it is kept what the condition of a loop was made of: abi_fixup hides that, so that the loop is counted rightly."""
    return Reason(CARRIED, "the reverse sweep goes as often through the loop")


def of_loop() -> Reason:
    """Why it is kept how often a loop ran: that is not known before it has."""
    return Reason(CARRIED, "the loop ends by what it computes; the reverse sweep goes as often through it")


def of_work() -> Reason:
    """Why something is kept that could be computed again."""
    return Reason(OTHER, "Enzyme takes it to be less work to keep it than to compute it again")


class Reasons:
    """The reasons of what is kept of a module, by what Enzyme says."""

    def __init__(self, inspector: Inspector, numbered: Numbered, remarks: Remarks) -> None:
        self.inspector = inspector
        self.module = inspector.module
        written = remarks.overwritten.items()
        self._writers = {numbered.instruction(read): numbered.instruction(by) for read, by in written}
        self._from_outside = {numbered.instruction(read) for read in remarks.from_outside}

    def reason(self, origins: Origins, value: Value) -> Reason:
        """Why a value is kept: for itself, or for what it is computed from."""
        known, waiting = {value}, [value]
        while waiting:
            one = waiting.pop(0)
            if found := self._own(origins, one):
                return (
                    found if one == value else replace(found, why=f"it is computed from what cannot be had again: {found.why}")
                )
            operands = [operand for operand in self.inspector.operands(one) if self.inspector.api.IsAInstruction(operand)]
            waiting += [operand for operand in operands if operand not in known]
            known.update(operands)
        return of_work()

    def _own(self, origins: Origins, value: Value) -> Reason | None:
        """Why a value cannot be had again in the reverse sweep; None where it can."""
        if value in self._writers:
            return self._written(origins, value, self._writers[value])
        if value in self._from_outside:
            called = "the function is differentiated by itself, and who calls it may write to what it reads"
            return Reason(BY_CALLER, called, help=_INLINE)
        if self.inspector.api.IsAPHINode(value):
            return self._chosen(value, is_carried=origins.is_carried(value))
        if self.module.is_call(value) and not self.inspector.is_intrinsic(value):
            return Reason(CALLED, f"it is what {self._called(value)} returned, and that is not called again")
        return None

    def _chosen(self, phi: Value, *, is_carried: bool) -> Reason:
        if not is_carried:
            return Reason(CHOSEN, "what it is depends on the way that was taken here")
        if self.inspector.float_name(self.inspector.api.TypeOf(phi)):
            return Reason(
                CARRIED, "each iteration computes with what the one before leaves, and not only adds to it", help=_FEWER
            )
        return Reason(CARRIED, "an iteration goes where the one before leads it, and not by steps that are always the same")

    def _written(self, origins: Origins, load: Value, writer: Value) -> Reason:
        source = self.inspector.operands(load)[0]
        read = self._memory(origins, source)
        if not writer:
            return Reason(MAY_ALIAS, f"{read} may be written over before the reverse sweep comes to it", help=_ANEW)
        place = self.module.users_place(writer)
        if not self.inspector.is_plain_store(writer) and not self.inspector.is_bulk_write(writer):
            return Reason(WRITTEN_BY_CALL, f"{self._called(writer)} may write to {read}", place, _APART)
        target = self.inspector.operands(writer)[1 if self.inspector.is_plain_store(writer) else 0]
        both = set(self.inspector.bases(target)) & set(self.inspector.bases(source))
        if any(is_allocation(self.inspector, base) and origins.loops(base) for base in both):
            why = f"{read} is allocated in each iteration, and is gone when the reverse sweep comes to it"
            return Reason(MEMORY, why, place, _WITHOUT)
        if address(self.inspector, target) == address(self.inspector, source):
            return Reason(OVERWRITTEN, f"{read} is written over before the reverse sweep comes to it", place, _ANEW)
        written = self._memory(origins, target)
        two = f"two places in {read}" if both or read == written else f"{read} and {written}"
        why = f"nothing says that {two} are apart"
        return Reason(MAY_ALIAS, f"the write may be to what was read: {why}", place, _SPLIT if both else _APART)

    def _memory(self, origins: Origins, pointer: Value) -> str:
        """What memory is called in which something lies."""
        if variable := origins.memory(pointer):
            return f"`{variable}`"
        made = (base for base in self.inspector.bases(pointer) if is_allocation(self.inspector, base))
        place = next(filter(None, map(self.module.own_place, made)), None)
        return f"what is allocated at {place}" if place else "other memory"

    def _called(self, call: Value) -> str:
        callee = self.module.callee(call) if self.module.is_call(call) else 0
        subprogram = self.module.subprogram(callee) if callee and self.module.is_function(callee) else 0
        if subprogram:
            return f"`{name(self.module, subprogram)}`"
        return "what is called here"

"""What was found in a module, for as long as what it was found in stays as it is.

Some of it is of one function's body, and most changes are of one.  LLVM's functions that change something say by their names of
what; one whose name is not known here changes everything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

T = TypeVar("T")

_WHERE_A_BUILDER_IS = re.compile(r"Build|InsertIntoBuilder|SetCurrentDebugLocation")
_OF_AN_INSTRUCTION = re.compile(
    r"InstructionEraseFromParent|InstructionSetDebugLoc|SetOperand|SetCondition|SetSuccessor|SetInstructionCallConv"
    r"|AddIncoming|AddCallSiteAttribute|RemoveCallSiteEnumAttribute|ReplaceAllUsesWith"
)
_OF_A_FUNCTION = {
    "AddAttributeAtIndex": 0,
    "RemoveEnumAttributeAtIndex": 0,
    "RunPassesOnFunction": 0,
    "AppendBasicBlockInContext": 1,
}
"""Which of the arguments that is."""
_OF_NO_BODY = re.compile(
    r"AddFunction|AddGlobal|SetLinkage|SetVisibility|SetGlobalConstant|SetMetadata|InstructionClone|PassBuilderOptions"
)


class Known:
    """What was found, by what it is."""

    def __init__(self) -> None:
        self._of_module: dict[Hashable, Any] = {}
        self._of_body: dict[int, dict[Hashable, Any]] = {}

    def once(self, what: Hashable, find: Callable[[], T]) -> T:
        """What is found in the module, found out once for as long as nothing changes it."""
        return _found(self._of_module, what, find)

    def once_in(self, function: int, what: Hashable, find: Callable[[], T]) -> T:
        """What is found in a function's body alone, found out once for as long as nothing changes that.

        It may go by instructions, by the attributes of calls, and by where these stand, not by metadata that a repair adds.
        """
        return _found(self._of_body.setdefault(function, {}), what, find)

    def forget(self, api: Any, name: str, arguments: Sequence[Any]) -> None:
        """A function of LLVM's is about to be called that changes something."""
        self._of_module = {}
        if _OF_NO_BODY.match(name):
            return
        changed = _changed(api, name, arguments)
        if changed is None:
            self._of_body = {}
        else:
            self._of_body.pop(changed, None)


def _found(known: dict[Hashable, Any], what: Hashable, find: Callable[[], T]) -> T:
    if what not in known:
        known[what] = find()  # a change meanwhile has left this memory behind
    found: T = known[what]
    return found


def _changed(api: Any, name: str, arguments: Sequence[Any]) -> int | None:
    """The function whose body it changes, 0 for one that is in no body yet; None where it may be several."""
    if name in _OF_A_FUNCTION:
        return int(arguments[_OF_A_FUNCTION[name]])
    if _WHERE_A_BUILDER_IS.match(name):
        return _around(api, api.GetInsertBlock(arguments[0]))
    if _OF_AN_INSTRUCTION.match(name) and api.IsAInstruction(arguments[0]):
        return _around(api, api.GetInstructionParent(arguments[0]))
    return None


def _around(api: Any, block: int | None) -> int:
    return int(api.GetBasicBlockParent(block) or 0) if block else 0

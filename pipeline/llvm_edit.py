"""Rewriting a module by LLVM's C API: attributes, passes on single functions, new instructions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_size_t, c_uint, c_ulonglong, c_void_p
from typing import Any

from pipeline.analyses import debug_info
from pipeline.analyses.layout import ADDRESS, Word
from pipeline.errors import UserError
from pipeline.llvm import STEEP, Module, Value, text
from pipeline.llvm_inspect import (
    ADDRESS_MATTERS,
    EQUAL,
    FUNCTION,
    FUNCTION_TYPE,
    INACTIVE,
    RESULT,
    SHADOW,
    STRUCT,
    UNTIL_OPT2,
    Inspector,
)

_EXTERNAL, _AVAILABLE, _WEAK, _INTERNAL, _EXTERNAL_WEAK = 0, 1, 6, 8, 12  # LLVMLinkage
_LASTING = {2: 5, 3: 6}
"""What is dropped where nobody needs it (`linkonce`), and what is otherwise the same but stays (`weak`)."""
_HIDDEN = 1  # LLVMVisibility
_KEPT = b"enzyme_mustcache"
_END = "crategrad_unexpected_call"

_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "GlobalSetMetadata": (None, [c_void_p, c_uint, c_void_p]),
    "SetThreadLocal": (None, [c_void_p, c_int]),
    "SetGlobalConstant": (None, [c_void_p, c_int]),
    "SetInitializer": (None, [c_void_p, c_void_p]),
    "CreateEnumAttribute": (c_void_p, [c_void_p, c_uint, c_ulonglong]),
    "CreateStringAttribute": (c_void_p, [c_void_p, c_char_p, c_uint, c_char_p, c_uint]),
    "AddAttributeAtIndex": (None, [c_void_p, c_uint, c_void_p]),
    "RemoveEnumAttributeAtIndex": (None, [c_void_p, c_uint, c_uint]),
    "AddCallSiteAttribute": (None, [c_void_p, c_uint, c_void_p]),
    "GetAttributeCountAtIndex": (c_uint, [c_void_p, c_uint]),
    "GetAttributesAtIndex": (None, [c_void_p, c_uint, POINTER(c_void_p)]),
    "GetCallSiteAttributeCount": (c_uint, [c_void_p, c_uint]),
    "GetCallSiteAttributes": (None, [c_void_p, c_uint, POINTER(c_void_p)]),
    "IsStringAttribute": (c_int, [c_void_p]),
    "GetStringAttributeKind": (c_void_p, [c_void_p, POINTER(c_uint)]),
    "RemoveStringAttributeAtIndex": (None, [c_void_p, c_uint, c_char_p, c_uint]),
    "RemoveCallSiteStringAttribute": (None, [c_void_p, c_uint, c_char_p, c_uint]),
    "HasMetadata": (c_int, [c_void_p]),
    "InstructionGetAllMetadataOtherThanDebugLoc": (c_void_p, [c_void_p, POINTER(c_size_t)]),
    "GlobalEraseMetadata": (None, [c_void_p, c_uint]),
    "DIBuilderCreateDebugLocation": (c_void_p, [c_void_p, c_uint, c_uint, c_void_p, c_void_p]),
    "GetFunctionCallConv": (c_uint, [c_void_p]),
    "SetFunctionCallConv": (None, [c_void_p, c_uint]),
    "SetInstructionCallConv": (None, [c_void_p, c_uint]),
    "BuildAlloca": (c_void_p, [c_void_p, c_void_p, c_char_p]),
    "BuildStructGEP2": (c_void_p, [c_void_p, c_void_p, c_void_p, c_uint, c_char_p]),
    "BuildInsertValue": (c_void_p, [c_void_p, c_void_p, c_void_p, c_uint, c_char_p]),
    "BuildExtractValue": (c_void_p, [c_void_p, c_void_p, c_uint, c_char_p]),
    "RemoveCallSiteEnumAttribute": (None, [c_void_p, c_uint, c_uint]),
    "CreatePassBuilderOptions": (c_void_p, []),
    "PassBuilderOptionsSetLoopVectorization": (None, [c_void_p, c_int]),
    "PassBuilderOptionsSetLoopInterleaving": (None, [c_void_p, c_int]),
    "DisposePassBuilderOptions": (None, [c_void_p]),
    "RunPasses": (c_void_p, [c_void_p, c_char_p, c_void_p, c_void_p]),
    "RunPassesOnFunction": (c_void_p, [c_void_p, c_char_p, c_void_p, c_void_p]),
    "GetErrorMessage": (c_void_p, [c_void_p]),
    "SetMetadata": (None, [c_void_p, c_uint, c_void_p]),
    "MDStringInContext2": (c_void_p, [c_void_p, c_char_p, c_size_t]),
    "MDNodeInContext2": (c_void_p, [c_void_p, POINTER(c_void_p), c_size_t]),
    "Int8TypeInContext": (c_void_p, [c_void_p]),
    "AddIncoming": (None, [c_void_p, POINTER(c_void_p), POINTER(c_void_p), c_uint]),
    "BuildPhi": (c_void_p, [c_void_p, c_void_p, c_char_p]),
    "BuildFCmp": (c_void_p, [c_void_p, c_int, c_void_p, c_void_p, c_char_p]),
    "BuildSelect": (c_void_p, [c_void_p, c_void_p, c_void_p, c_void_p, c_char_p]),
    "BuildFreeze": (c_void_p, [c_void_p, c_void_p, c_char_p]),
    "BuildTrunc": (c_void_p, [c_void_p, c_void_p, c_void_p, c_char_p]),
    "BuildZExt": (c_void_p, [c_void_p, c_void_p, c_void_p, c_char_p]),
    "BuildShl": (c_void_p, [c_void_p, c_void_p, c_void_p, c_char_p]),
    "BuildLShr": (c_void_p, [c_void_p, c_void_p, c_void_p, c_char_p]),
    "BuildAnd": (c_void_p, [c_void_p, c_void_p, c_void_p, c_char_p]),
    "BuildOr": (c_void_p, [c_void_p, c_void_p, c_void_p, c_char_p]),
    "BuildBitCast": (c_void_p, [c_void_p, c_void_p, c_void_p, c_char_p]),
    "ConstReal": (c_void_p, [c_void_p, c_double]),
    "ConstIntToPtr": (c_void_p, [c_void_p, c_void_p]),
    "SetOperand": (None, [c_void_p, c_uint, c_void_p]),
    "SetAlignment": (None, [c_void_p, c_uint]),
    "SetVisibility": (None, [c_void_p, c_int]),
    "SetModuleInlineAsm2": (None, [c_void_p, c_char_p, c_size_t]),
    "SetLinkage": (None, [c_void_p, c_int]),
    "SetUnnamedAddress": (None, [c_void_p, c_int]),
    "SetComdat": (None, [c_void_p, c_void_p]),
    "GlobalGetValueType": (c_void_p, [c_void_p]),
    "SetValueName2": (None, [c_void_p, c_char_p, c_size_t]),
    "AppendBasicBlockInContext": (c_void_p, [c_void_p, c_void_p, c_char_p]),
    "InsertBasicBlockInContext": (c_void_p, [c_void_p, c_void_p, c_char_p]),
    "PositionBuilderAtEnd": (None, [c_void_p, c_void_p]),
    "PositionBuilderBeforeInstrAndDbgRecords": (None, [c_void_p, c_void_p]),
    "BuildLoad2": (c_void_p, [c_void_p, c_void_p, c_void_p, c_char_p]),
    "BuildStore": (c_void_p, [c_void_p, c_void_p, c_void_p]),
    "BuildInBoundsGEP2": (c_void_p, [c_void_p, c_void_p, c_void_p, POINTER(c_void_p), c_uint, c_char_p]),
    "BuildFAdd": (c_void_p, [c_void_p, c_void_p, c_void_p, c_char_p]),
    "BuildFDiv": (c_void_p, [c_void_p, c_void_p, c_void_p, c_char_p]),
    "BuildAdd": (c_void_p, [c_void_p, c_void_p, c_void_p, c_char_p]),
    "BuildNUWAdd": (c_void_p, [c_void_p, c_void_p, c_void_p, c_char_p]),
    "BuildSub": (c_void_p, [c_void_p, c_void_p, c_void_p, c_char_p]),
    "GetNUW": (c_int, [c_void_p]),
    "SetNUW": (None, [c_void_p, c_int]),
    "SetNSW": (None, [c_void_p, c_int]),
    "BuildUDiv": (c_void_p, [c_void_p, c_void_p, c_void_p, c_char_p]),
    "BuildIsNull": (c_void_p, [c_void_p, c_void_p, c_char_p]),
    "GetInsertBlock": (c_void_p, [c_void_p]),
    "ArrayType2": (c_void_p, [c_void_p, c_ulonglong]),
    "BuildMul": (c_void_p, [c_void_p, c_void_p, c_void_p, c_char_p]),
    "BuildMemSet": (c_void_p, [c_void_p, c_void_p, c_void_p, c_void_p, c_uint]),
    "BuildMemCpy": (c_void_p, [c_void_p, c_void_p, c_uint, c_void_p, c_uint, c_void_p]),
    "BuildNot": (c_void_p, [c_void_p, c_void_p, c_char_p]),
    "InstructionClone": (c_void_p, [c_void_p]),
    "InstructionSetDebugLoc": (None, [c_void_p, c_void_p]),
    "InsertIntoBuilder": (None, [c_void_p, c_void_p]),
    "BuildGlobalStringPtr": (c_void_p, [c_void_p, c_char_p, c_char_p]),
    "BuildIsNotNull": (c_void_p, [c_void_p, c_void_p, c_char_p]),
    "BuildBr": (c_void_p, [c_void_p, c_void_p]),
    "BuildICmp": (c_void_p, [c_void_p, c_int, c_void_p, c_void_p, c_char_p]),
    "BuildCondBr": (c_void_p, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "BuildRet": (c_void_p, [c_void_p, c_void_p]),
    "BuildRetVoid": (c_void_p, [c_void_p]),
    "BuildUnreachable": (c_void_p, [c_void_p]),
    "ReplaceAllUsesWith": (None, [c_void_p, c_void_p]),
}


class Editor(Inspector):
    """What changes a module."""

    def __init__(self, module: Module) -> None:
        super().__init__(module)
        self.api.load(_SIGNATURES)

    # ---- attributes

    def add_attribute(self, function: Value, name: str, value: int = 0) -> None:
        """Give the function an attribute, with a value where it takes one."""
        attribute = self.api.CreateEnumAttribute(self.module.context, self._kind(name), value)
        self.api.AddAttributeAtIndex(function, FUNCTION, attribute)

    def add_text_attribute(self, function: Value, name: str, value: str = "", index: int = FUNCTION) -> None:
        """Give the function, its result (index 0) or a parameter (from 1) an attribute that is no LLVM's own."""
        attribute = self.api.CreateStringAttribute(self.module.context, name.encode(), len(name), value.encode(), len(value))
        self.api.AddAttributeAtIndex(function, index, attribute)

    def say_floats(self, function: Value) -> None:
        """Tell Enzyme which of a function's parameters are floats, and whether its result is one, or has some."""
        ty = self.function_type(function)
        for index, header in enumerate((self.return_type(ty), *self.parameter_types(ty))):
            if told := self._floats_in(header):
                self.add_text_attribute(function, "enzyme_type", f"{{{', '.join(told)}}}", index)

    def say_integers(self, function: Value, is_integer: Callable[[int, int], bool]) -> None:
        """Tell Enzyme of the integers among the members of a struct that is returned, by their first and last bytes."""
        ty = self.return_type(self.function_type(function))
        places: list[int] = []
        for index, member in enumerate(self.members(ty)):
            begin = self.api.OffsetOfElement(self.layout, ty, index)
            end = begin + self.size_of(member)
            places += range(begin, end) if self.integer_bits(member) and is_integer(begin, end) else ()
        if places:
            self.add_text_attribute(function, "enzyme_type", f"{{{', '.join(f'[{place}]:Integer' for place in places)}}}", 0)

    def _floats_in(self, ty: Value) -> list[str]:
        """The floats of a type, or among the members of a struct type, as Enzyme's types of them at their bytes."""
        if kind := self.enzyme_type(ty):
            return [f"[-1]:{kind}"]
        kinds = [(index, self.enzyme_type(member)) for index, member in enumerate(self.members(ty))]
        return [f"[{self.api.OffsetOfElement(self.layout, ty, index)}]:{kind}" for index, kind in kinds if kind]

    def add_call_attribute(self, call: Value, name: str) -> None:
        """Give a call an attribute that is no LLVM's own."""
        attribute = self.api.CreateStringAttribute(self.module.context, name.encode(), len(name), b"", 0)
        self.api.AddCallSiteAttribute(call, FUNCTION, attribute)

    def say_frees_nothing(self, call: Value) -> None:
        """Say of a call that no memory is freed by it."""
        attribute = self.api.CreateEnumAttribute(self.module.context, self._kind("nofree"), 0)
        self.api.AddCallSiteAttribute(call, FUNCTION, attribute)

    def say_number(self, load: Value) -> None:
        """Tell Enzyme that what is loaded is the float, or the integer, that its type says: elsewhere it may not find out."""
        self.say_type(load, self.enzyme_type(self.api.TypeOf(load)) or "Integer")

    def say_type(self, load: Value, kind: str) -> None:
        """Tell Enzyme that what is loaded is of that type of Enzyme's."""
        api, context, name = self.api, self.module.context, kind.encode()
        leaf = self._node([api.MDStringInContext2(context, name, len(name))])
        everywhere = api.ValueAsMetadata(api.ConstInt(self.integer(32), 2**32 - 1, 0))
        tree = self._node([api.MDStringInContext2(context, b"Unknown", 7), everywhere, leaf])
        api.SetMetadata(load, self.metadata_kind(b"enzyme_type"), api.MetadataAsValue(context, tree))

    def forget_places_of_assembly(self) -> None:
        """Take away what rustc says of each piece of inline assembly: its offset among all sources, which any edit moves."""
        kind = self.metadata_kind(b"srcloc")
        for function in self.module.functions():
            for instruction in self.module.instructions(function):
                if self.module.is_call(instruction) and self.module.is_inline_assembly(self.module.callee(instruction)):
                    self.api.SetMetadata(instruction, kind, None)

    def give_scopes(self, instruction: Value, kind: bytes, scopes: Sequence[Value]) -> None:
        """Let an instruction be of these scopes (`alias.scope`), or known to meet none of them (`noalias`), and no others."""
        node = self._node([self.api.ValueAsMetadata(scope) for scope in scopes]) if scopes else None
        value = node and self.api.MetadataAsValue(self.module.context, node)
        self.api.SetMetadata(instruction, self.metadata_kind(kind), value)

    def say_inactive(self, value: Value) -> None:
        """Tell Enzyme that what an instruction makes has no derivative, or that a global variable has no shadow but itself."""
        if self.api.IsAGlobalVariable(value):
            self.api.GlobalSetMetadata(value, self.metadata_kind(INACTIVE), self._node([]))
        else:
            self._mark(value, INACTIVE)

    def say_kept(self, instruction: Value) -> None:
        """Tell Enzyme to keep what an instruction makes for the reverse sweep, and never to make it again there."""
        self._mark(instruction, _KEPT)

    def _mark(self, instruction: Value, kind: bytes) -> None:
        """Give an instruction metadata of that kind, of which nothing but the kind counts."""
        nothing = self.api.MetadataAsValue(self.module.context, self._node([]))
        self.api.SetMetadata(instruction, self.metadata_kind(kind), nothing)

    def give_shadow(self, variable: Value, lanes: int) -> Value:
        """A thread-local of zeros, the shadow of another; as many as there are lanes, one after the other."""
        ty, kind = self.api.GlobalGetValueType(variable), self.metadata_kind(SHADOW)
        if lanes > 1:
            ty = self.api.ArrayType2(ty, lanes)
        shadow = int(self.api.AddGlobal(self.module.handle, ty, f"{self.module.name(variable)}.shadow".encode()))
        self.api.SetThreadLocal(shadow, 1)
        self.api.SetInitializer(shadow, self.api.ConstNull(ty))
        self.api.SetLinkage(shadow, _INTERNAL)
        self.api.SetAlignment(shadow, self.api.GetAlignment(variable))
        self.api.GlobalSetMetadata(variable, kind, self._node([self.api.ValueAsMetadata(shadow)]))
        return shadow

    def inactive_constant(self, name: str) -> Value:
        """The constant of that name, a byte of which Enzyme knows that it has no shadow but itself."""
        if found := self.module.globals_named(name):
            return found[0]
        made = int(self.api.AddGlobal(self.module.handle, self.integer(8), name.encode()))
        self.api.SetGlobalConstant(made, 1)
        self.api.SetInitializer(made, self.api.ConstNull(self.integer(8)))
        self.api.SetLinkage(made, _INTERNAL)
        self.say_inactive(made)
        return made

    def zero_at_entry(self, function: Value, variables: Iterable[Value]) -> None:
        """Have a function begin by setting global variables to zero."""
        with self.module.before(next(self.module.instructions(function))) as builder:
            for variable in variables:
                size = self.size_of(self.api.GlobalGetValueType(variable))
                zero, count = self.api.ConstInt(self.integer(8), 0, 0), self.module.int64(size)
                self.api.BuildMemSet(builder, variable, zero, count, self.api.GetAlignment(variable))

    def say_points_to(self, call: Value, position: int, kind: str, size: int = 0) -> None:
        """Tell Enzyme that an argument of a call points to numbers of that type of Enzyme's, and to nothing else.

        Or, given how many bytes it has, to one such number, whatever follows it.
        """
        places = range(size if kind == "Integer" else 1) if size else [-1]
        told = "".join(f", [-1,{place}]:{kind}" for place in places)
        name, value = b"enzyme_type", f"{{[-1]:Pointer{told}}}".encode()
        attribute = self.api.CreateStringAttribute(self.module.context, name, len(name), value, len(value))
        self.api.AddCallSiteAttribute(call, 1 + position, attribute)

    def _node(self, operands: Sequence[Value]) -> Value:
        array = (c_void_p * len(operands))(*operands)
        return int(self.api.MDNodeInContext2(self.module.context, array, len(operands)))

    def drop_attributes(self, function: Value, *names: str) -> None:
        """Take attributes off the function."""
        for name in names:
            self.api.RemoveEnumAttributeAtIndex(function, FUNCTION, self._kind(name))

    def add_until_opt2(self, function: Value) -> None:
        """Have a function be called as it stands until the derivatives are there, and say that it frees nothing."""
        for name, told in UNTIL_OPT2.items():
            if not self.has_attribute(function, name):
                self.add_attribute(function, name)
                self.add_text_attribute(function, told)

    def drop_text_attributes(self, function: Value, prefixes: tuple[str, ...]) -> None:
        """Take attributes that are no LLVM's own off a function, its result and its parameters, by how their names begin."""
        for index in (FUNCTION, *range(1 + len(self.parameter_types(self.function_type(function))))):
            attributes = (c_void_p * self.api.GetAttributeCountAtIndex(function, index))()
            self.api.GetAttributesAtIndex(function, index, attributes)
            for name in self._text_attributes(attributes, prefixes):
                self.api.RemoveStringAttributeAtIndex(function, index, name.encode(), len(name))

    def drop_text_attributes_of_call(self, call: Value, prefixes: tuple[str, ...]) -> None:
        """Take such attributes off a call."""
        for index in (FUNCTION, *range(1 + len(self.module.arguments(call)))):
            attributes = (c_void_p * self.api.GetCallSiteAttributeCount(call, index))()
            if attributes:
                self.api.GetCallSiteAttributes(call, index, attributes)
            for name in self._text_attributes(attributes, prefixes):
                self.api.RemoveCallSiteStringAttribute(call, index, name.encode(), len(name))

    def _text_attributes(self, attributes: Iterable[Value], prefixes: tuple[str, ...]) -> list[str]:
        size = c_uint()
        found = filter(self.api.IsStringAttribute, attributes)
        names = [text(self.api.GetStringAttributeKind(each, byref(size)), size.value) for each in found]
        return [name for name in names if name.startswith(prefixes)]

    def drop_metadata(self, instruction: Value, kinds: Collection[int]) -> None:
        """Take metadata of some kinds off an instruction."""
        if not self.api.HasMetadata(instruction):
            return
        size = c_size_t()
        entries = self.api.InstructionGetAllMetadataOtherThanDebugLoc(instruction, byref(size))
        found = [self.api.ValueMetadataEntriesGetKind(entries, index) for index in range(size.value)]
        self.api.DisposeValueMetadataEntries(entries)
        for kind in found:
            if kind in kinds:
                self.api.SetMetadata(instruction, kind, None)

    def drop_metadata_of_global(self, variable: Value, kinds: Iterable[int]) -> None:
        """Take metadata of some kinds off a global variable."""
        for kind in kinds:
            self.api.GlobalEraseMetadata(variable, kind)

    def drop_parameter_attributes(self, function: Value, *names: str) -> None:
        """Take attributes off all parameters of the function."""
        for index in range(1, 1 + len(self.parameter_types(self.function_type(function)))):
            for name in names:
                self.api.RemoveEnumAttributeAtIndex(function, index, self._kind(name))

    def copy_attributes(self, function: Value, to: Value, *, but: Sequence[str]) -> None:
        """Give a function the attributes of another (those of parameters and result apart), but some."""
        attributes = (c_void_p * self.api.GetAttributeCountAtIndex(function, FUNCTION))()
        self.api.GetAttributesAtIndex(function, FUNCTION, attributes)
        for attribute in attributes:
            self.api.AddAttributeAtIndex(to, FUNCTION, attribute)
        self.drop_attributes(to, *but)

    def compile_like(self, function: Value, made: Value) -> None:
        """Compile a function for the processor that another is for: else LLVM may not inline the one into the other."""
        for attribute in filter(None, self.processor(function)):
            self.api.AddAttributeAtIndex(made, FUNCTION, attribute)

    def inline_call(self, call: Value) -> None:
        """See to it that the next run of `always-inline` inlines this call, whatever is said of the function."""
        for name in ("noinline", "cold"):
            self.api.RemoveCallSiteEnumAttribute(call, FUNCTION, self._kind(name))
        attribute = self.api.CreateEnumAttribute(self.module.context, self._kind("alwaysinline"), 0)
        self.api.AddCallSiteAttribute(call, FUNCTION, attribute)

    def forget_that_it_succeeds(self, allocation: Value) -> None:
        """Take off the call of an allocating function what says that there is memory where it leads."""
        for name in ("nonnull", "dereferenceable"):
            self.api.RemoveCallSiteEnumAttribute(allocation, RESULT, self._kind(name))

    def forget_that_it_fits(self, number: Value) -> None:
        """Have an integer, and what it is computed of, go round where it is too large: LLVM takes it for one that never is."""
        waiting, known = [number], set[Value]()
        while waiting:
            value = waiting.pop()
            if value not in known and self.is_sum_or_product(value):
                self.api.SetNUW(value, 0)
                self.api.SetNSW(value, 0)
                waiting += self.operands(value)
            known.add(value)

    # ---- what others see

    def leave_to_others(self, value: Value) -> None:
        """Have a function or a variable be another module's: LLVM's `elim-avail-extern` then makes a declaration of it."""
        self.api.SetComdat(value, None)  # declarations are in none
        self.api.SetLinkage(value, _AVAILABLE)

    def declare_only(self, values: Iterable[Value]) -> None:
        """Take away the bodies of functions and the values of variables."""
        for value in values:
            self.leave_to_others(value)
        self.run_passes("elim-avail-extern")

    def publish_weakly(self, variable: Value) -> None:
        """Let a variable be seen from outside, and be the same as others of that name that are."""
        self.api.SetComdat(variable, None)
        self.api.SetLinkage(variable, _WEAK)

    def make_visible(self, value: Value) -> None:
        """Let the other modules of a program refer to a function, a variable or an alias; it stays, whoever needs it here."""
        linkage = self.api.GetLinkage(value)
        if self.is_internal(value):
            self.publish(value)
        elif linkage in _LASTING:
            self.api.SetLinkage(value, _LASTING[linkage])

    def leave_alias_to_others(self, alias: Value) -> None:
        """Have a declaration take the place of an alias; LLVM's `globaldce` then takes that out."""
        name, ty = self.module.name(alias).encode(), self.api.GlobalGetValueType(alias)
        self.api.SetValueName2(alias, b"", 0)
        if self.api.GetTypeKind(ty) == FUNCTION_TYPE:
            declared = self.api.AddFunction(self.module.handle, name, ty)
        else:
            declared = self.api.AddGlobal(self.module.handle, ty, name)
        self.api.ReplaceAllUsesWith(alias, declared)
        self.api.SetLinkage(alias, _INTERNAL)

    def keep_address(self, constant: Value) -> None:
        """Let the address of a constant matter, so that no other may be put in its place."""
        self.api.SetUnnamedAddress(constant, ADDRESS_MATTERS)

    def hide_all_but(self, names: Iterable[str]) -> None:
        """Let nothing of the module be seen from outside but these names.

        Raises: UserError for a name that LLVM cannot be told.
        """
        visible = sorted(names)
        if odd := next((name for name in visible if set(name) & set(",;()")), ""):
            raise UserError(f"error: a function or a variable is exported as `{odd}`: that is no name to build with")
        told = ";".join(f"preserve-gv={name}" for name in visible)
        self.run_passes(f"internalize<{told}>" if told else "internalize")

    def publish(self, function: Value) -> None:
        """Let the other objects of a program call a function, and nobody outside of it."""
        self.api.SetLinkage(function, _EXTERNAL)
        self.api.SetVisibility(function, _HIDDEN)

    def drop_assembly(self) -> None:
        """Take out what assembly there is beside functions: what it defines is defined where the module came from."""
        self.api.SetModuleInlineAsm2(self.module.handle, b"", 0)

    # ---- passes

    def run_passes(self, passes: str, function: Value = 0) -> None:
        """Run LLVM passes on one function, or on the module; nothing is vectorised, and `STEEP` stays where it is wanted.

        Raises: UserError where LLVM refuses them: a fault of ours.
        """
        for steep in self.module.named(STEEP):
            self.drop_attributes(steep, "speculatable")
        options = self.api.CreatePassBuilderOptions()
        self.api.PassBuilderOptionsSetLoopVectorization(options, 0)
        self.api.PassBuilderOptionsSetLoopInterleaving(options, 0)
        try:
            run, target = (self.api.RunPassesOnFunction, function) if function else (self.api.RunPasses, self.module.handle)
            error = run(target, passes.encode(), None, options)
        finally:
            self.api.DisposePassBuilderOptions(options)
        if error:
            raise UserError(f"error: LLVM does not run `{passes}`: {text(self.api.GetErrorMessage(error))}")

    # ---- instructions

    def phi(self, place: Value, ty: Value, incoming: Sequence[tuple[Value, Value]] = ()) -> Value:
        """A phi before the instruction `place`, of values each with the block that it comes from."""
        with self.module.before(place) as builder:
            self.api.PositionBuilderBeforeInstrAndDbgRecords(builder, place)  # a phi may have none of them
            made = int(self.api.BuildPhi(builder, ty, b""))
        values, blocks = ([pair[index] for pair in incoming] for index in range(2))
        self.add_values(made, values, blocks)
        return made

    def phi_beside(self, phi: Value, make: Callable[[Value, Value], Value]) -> Value:
        """A phi of what a builder makes of each value of another phi, at the end of the block that it comes from."""
        made: dict[Value, Value] = {}
        blocks = self.incoming_blocks(phi)
        for block, value in zip(blocks, self.chosen(phi), strict=True):
            if block not in made:  # a switch leads here in several ways
                with self.module.before(self.api.GetBasicBlockTerminator(block)) as builder:
                    made[block] = make(builder, value)
        return self.phi(phi, self.api.TypeOf(made[blocks[0]]), [(made[block], block) for block in blocks])

    def add_incoming(self, phi: Value, values: Sequence[Value], like: Value) -> None:
        """Give a phi its values, from the blocks that another phi has its own from."""
        self.add_values(phi, values, self.incoming_blocks(like))

    def add_values(self, phi: Value, values: Sequence[Value], blocks: Sequence[Value]) -> None:
        """Give a phi its values, each from a block."""
        array = c_void_p * len(values)
        self.api.AddIncoming(phi, array(*values), array(*blocks), len(values))

    def address(self, builder: Value, pointer: Value, offset: int) -> Value:
        """`pointer` moved by that many bytes."""
        if not offset:
            return pointer
        indices = (c_void_p * 1)(self.module.int64(offset))
        return int(
            self.api.BuildInBoundsGEP2(builder, self.api.Int8TypeInContext(self.module.context), pointer, indices, 1, b"")
        )

    def element(self, builder: Value, pointer: Value, index: Value, size: int) -> Value:
        """The address of an element of so many bytes of an array."""
        ty = self.api.ArrayType2(self.api.Int8TypeInContext(self.module.context), size)
        return int(self.api.BuildInBoundsGEP2(builder, ty, pointer, (c_void_p * 1)(index), 1, b""))

    def call(self, builder: Value, ty: Value, function: Value, arguments: Sequence[Value]) -> Value:
        """A call of a function of type `ty`, with a place in the source, if the function that it is made in has one."""
        values = (c_void_p * len(arguments))(*arguments)
        call = int(self.api.BuildCall2(builder, ty, function, values, len(arguments), b""))
        self.api.SetInstructionCallConv(call, self.api.GetFunctionCallConv(function))
        self._give_location(call)
        return call

    def allocate(self, builder: Value, size: Value) -> Value:
        """A call of `malloc`."""
        malloc = self.c_function("malloc", self.pointer_type(), [self.integer(64)])
        return self.call(builder, self.function_type(malloc), malloc, [size])

    def release(self, builder: Value, memory: Value) -> None:
        """A call of `free`."""
        free = self.c_function("free", self.void_type(), [self.pointer_type()])
        self.call(builder, self.function_type(free), free, [memory])

    def stack_slot(self, function: Value, ty: Value) -> Value:
        """Memory for a value, on the stack of the function."""
        entry = next(self.module.instructions(function))
        with self.module.builder() as builder:
            self.api.PositionBuilderBefore(builder, entry)
            return int(self.api.BuildAlloca(builder, ty, b""))

    def type_of(self, leaf: Value) -> Value:
        """LLVM's type of a number or a pointer of debug info."""
        bits = self.module.type_bits(leaf)
        if self.module.metadata_tag(leaf) == debug_info.POINTER:
            return self.pointer_type()
        return self.float_type(bits) if debug_info.name(self.module, leaf) in debug_info.FLOAT_BITS else self.integer(bits)

    def type_of_word(self, word: Word) -> Value:
        """LLVM's type of a word of a type's layout."""
        if word.kind == ADDRESS:
            return self.pointer_type()
        return self.float_type(8 * word.size) if word.kind in debug_info.FLOAT_BITS else self.integer(8 * word.size)

    def load(self, builder: Value, ty: Value, pointer: Value) -> Value:
        """A value from memory that may be anywhere."""
        value = int(self.api.BuildLoad2(builder, ty, pointer, b""))
        self.api.SetAlignment(value, 1)
        return value

    def store(self, builder: Value, value: Value, pointer: Value) -> None:
        """A value to memory that may be anywhere."""
        self.api.SetAlignment(self.api.BuildStore(builder, value, pointer), 1)

    def load_members(self, builder: Value, ty: Value, pointer: Value) -> Value:
        """A value of a type from memory; a struct member by member, as Enzyme follows it."""
        if self.api.GetTypeKind(ty) != STRUCT:
            return int(self.api.BuildLoad2(builder, ty, pointer, b""))
        value = self.api.GetPoison(ty)
        for index, member in enumerate(self.members(ty)):
            place = self.api.BuildStructGEP2(builder, ty, pointer, index, b"")
            loaded = self.api.BuildLoad2(builder, member, place, b"")
            value = self.api.BuildInsertValue(builder, value, loaded, index, b"")
        return int(value)

    def store_members(self, builder: Value, value: Value, ty: Value, pointer: Value) -> None:
        """A value of a type to memory; a struct member by member."""
        if self.api.GetTypeKind(ty) != STRUCT:
            self.api.BuildStore(builder, value, pointer)
            return
        for index in range(len(self.members(ty))):
            member = self.api.BuildExtractValue(builder, value, index, b"")
            self.api.BuildStore(builder, member, self.api.BuildStructGEP2(builder, ty, pointer, index, b""))

    def replace(self, instruction: Value, by: Value) -> None:
        """Put a value in the place of an instruction."""
        self.api.ReplaceAllUsesWith(instruction, by)
        self.api.InstructionEraseFromParent(instruction)

    def call_another(self, call: Value, function: Value) -> None:
        """Have a call be of another function, which takes and gives the same."""
        self.api.SetOperand(call, self.api.GetNumOperands(call) - 1, function)
        self.api.SetInstructionCallConv(call, self.api.GetFunctionCallConv(function))

    def give(self, user: Value, value: Value, by: Value) -> None:
        """Have one user of a value use another instead."""
        for index, operand in enumerate(self.operands(user)):
            if operand == value:
                self.api.SetOperand(user, index, by)

    def following(self, instruction: Value) -> Value:
        """The first instruction after another that is no phi."""
        after = int(self.api.GetNextInstruction(instruction))
        while self.api.IsAPHINode(after):
            after = int(self.api.GetNextInstruction(after))
        return after

    def copy(self, builder: Value, instruction: Value) -> Value:
        """The same instruction once more, without its place in the source."""
        made = int(self.api.InstructionClone(instruction))
        self.api.InsertIntoBuilder(builder, made)
        self.api.InstructionSetDebugLoc(made, None)
        return made

    def end_program(self, builder: Value, *complaint: str | Value) -> None:
        """The end of a block that is never to be reached: it says so, be it in words or at an address, and ends the program."""
        count = len(complaint)
        end = self.ending_function(
            f"{_END}{count if count > 1 else ''}", [self.pointer_type()] * count, "%s" * count, by="llvm.trap"
        )
        said = [one if isinstance(one, int) else self.api.BuildGlobalStringPtr(builder, one.encode(), b"") for one in complaint]
        self.call(builder, self.function_type(end), end, said)
        self.api.BuildUnreachable(builder)

    def ending_function(self, name: str, types: Sequence[Value], says: str, by: str) -> Value:
        """The function that prints what it is given on stderr, where there is a C library to print with, and ends the program.

        `says`: C's format for that; `by`: what it calls in the end.
        """
        if found := self.module.named([name]):
            return found[0]
        api, context = self.api, self.module.context
        function = self.internal_function(name, self.void_type(), types)
        for attribute in ("noreturn", "nounwind", "cold", "noinline"):
            self.add_attribute(function, attribute)
        printer_type = api.FunctionType(self.integer(32), (c_void_p * 2)(self.integer(32), self.pointer_type()), 2, 1)
        printer = self.module.named(["dprintf"])
        if not printer:
            printer = [api.AddFunction(self.module.handle, b"dprintf", printer_type)]
            api.SetLinkage(printer[0], _EXTERNAL_WEAK)
        last = self.module.declare(by, variadic=False)
        with self.block(function) as builder:
            prints, ends = (api.AppendBasicBlockInContext(context, function, b"") for _ in range(2))
            api.BuildCondBr(builder, api.BuildIsNotNull(builder, printer[0], b""), prints, ends)
            api.PositionBuilderAtEnd(builder, prints)
            to, text = api.ConstInt(self.integer(32), 2, 0), api.BuildGlobalStringPtr(builder, says.encode(), b"")
            self.call(builder, printer_type, printer[0], [to, text, *self.parameters(function)])
            api.BuildBr(builder, ends)
            api.PositionBuilderAtEnd(builder, ends)
            self.call(builder, self.function_type(last), last, [])
            api.BuildUnreachable(builder)
        return function

    def call_instead(self, call: Value, name: str) -> Value:
        """Call another function, which takes the same; the new call has the attributes of this one and of its function."""
        ty, arguments = self.called_type(call), self.module.arguments(call)
        function = self.c_function(name, self.return_type(ty), self.parameter_types(ty))
        with self.module.before(call) as builder:
            made = self.call(builder, self.function_type(function), function, arguments)
        for index in (FUNCTION, *range(1 + len(arguments))):
            for attribute in self._said_of(call, index):
                self.api.AddCallSiteAttribute(made, index, attribute)
        self.replace(call, made)
        return made

    def _said_of(self, call: Value, index: int) -> list[Value]:
        """The attributes of a called function, and of the call, at an index."""
        api, callee = self.api, self.module.callee(call)
        of_function = (c_void_p * api.GetAttributeCountAtIndex(callee, index))()
        api.GetAttributesAtIndex(callee, index, of_function)
        of_call = (c_void_p * api.GetCallSiteAttributeCount(call, index))()
        api.GetCallSiteAttributes(call, index, of_call)
        return [*of_function, *of_call]

    def _give_location(self, call: Value) -> None:
        """See to it that a call has a place, be it nowhere: LLVM wants one of what could be inlined, and of calls in that."""
        scope = self.api.GetSubprogram(self.module.parent(call))
        if scope and not self.module.location(call):
            nowhere = self.api.DIBuilderCreateDebugLocation(self.module.context, 0, 0, scope, None)
            self.api.InstructionSetDebugLoc(call, nowhere)

    # ---- functions

    def internal_function(self, name: str, result: Value, parameters: Sequence[Value]) -> Value:
        """A new function of this module's own, without a body yet."""
        function = int(self.api.AddFunction(self.module.handle, name.encode(), self.header_of(result, parameters)))
        self.api.SetLinkage(function, _INTERNAL)
        return function

    def c_function(self, name: str, result: Value, parameters: Sequence[Value]) -> Value:
        """A function of the C library, declared where it is not."""
        return self.declared(name, self.header_of(result, parameters))

    def declared(self, name: str, ty: Value) -> Value:
        """The function of that name, declared where it is not."""
        found = self.module.named([name])
        return found[0] if found else int(self.api.AddFunction(self.module.handle, name.encode(), ty))

    def header_of(self, result: Value, parameters: Sequence[Value]) -> Value:
        """The type of a function."""
        return int(self.api.FunctionType(result, (c_void_p * len(parameters))(*parameters), len(parameters), 0))

    def rename(self, function: Value, name: str) -> None:
        """Give a function another name; one that is taken gets a number."""
        self.api.SetValueName2(function, name.encode(), len(name))

    @contextmanager
    def block(self, function: Value) -> Iterator[Value]:
        """A builder that writes at the end of a new block of the function."""
        with self.module.builder() as builder:
            block = self.api.AppendBasicBlockInContext(self.module.context, function, b"")
            self.api.PositionBuilderAtEnd(builder, block)
            yield builder

    @contextmanager
    def ending_if_first(self, function: Value) -> Iterator[Value]:
        """The body of a function that returns, but where its first argument is true: what is written here ends then."""
        with self.block(function) as builder:
            context = self.module.context
            ends, returns = (self.api.AppendBasicBlockInContext(context, function, b"") for _ in range(2))
            self.api.BuildCondBr(builder, self.parameters(function)[0], ends, returns)
            self.api.PositionBuilderAtEnd(builder, returns)
            self.api.BuildRetVoid(builder)
            self.api.PositionBuilderAtEnd(builder, ends)
            yield builder

    def pass_on(self, name: str, ty: Value, function: Value) -> Value:
        """A new internal function that does nothing but call another of that type."""
        made = self.internal_function(name, self.return_type(ty), self.parameter_types(ty))
        self.api.SetFunctionCallConv(made, self.api.GetFunctionCallConv(function))
        with self.block(made) as builder:
            self._return(builder, ty, self.call(builder, ty, function, self.parameters(made)))
        return made

    def return_after_all(self, function: Value) -> None:
        """Have a function that never returns begin with a branch, on what is always so, to its body or a return of nothing."""
        api, context, ty = self.api, self.module.context, self.return_type(self.function_type(function))
        body, instructions = api.GetFirstBasicBlock(function), list(self.module.instructions(function))
        with self.module.before(next(filter(self.module.own_place, instructions), instructions[0])) as builder:
            check = api.InsertBasicBlockInContext(context, body, b"")
            end = api.AppendBasicBlockInContext(context, function, b"")
            api.PositionBuilderAtEnd(builder, check)
            api.BuildCondBr(builder, api.ConstInt(self.integer(1), 1, 0), body, end)
            api.PositionBuilderAtEnd(builder, end)
            self._return(builder, self.function_type(function), 0 if ty == self.void_type() else api.ConstNull(ty))
        self.drop_attributes(function, "noreturn")

    def branch(self, builder: Value, function: Value, condition: Value, ways: Sequence[Value]) -> Iterator[Value]:
        """Branch to two new blocks of a function; the builder stands at the end of each while its way is gone."""
        blocks = [self.api.AppendBasicBlockInContext(self.module.context, function, b"") for _ in range(2)]
        self.api.BuildCondBr(builder, condition, *blocks)
        for block, way in zip(blocks, ways, strict=True):
            self.api.PositionBuilderAtEnd(builder, block)
            yield way

    def compare_and_call(self, name: str, ty: Value, candidates: Mapping[Value, Value], complaint: str) -> Value:
        """A new internal function: given a function's address and arguments of the function type `ty`, it calls what the
        candidate of this address is mapped to, if anything; where none has it, it complains and ends the program.
        """
        api, context = self.api, self.module.context
        function = self.internal_function(name, self.return_type(ty), [self.pointer_type(), *self.parameter_types(ty)])
        address, *arguments = self.parameters(function)
        with self.block(function) as builder:
            for candidate, called in candidates.items():
                found, next_one = (api.AppendBasicBlockInContext(context, function, b"") for _ in range(2))
                api.BuildCondBr(builder, api.BuildICmp(builder, EQUAL, address, candidate, b""), found, next_one)
                api.PositionBuilderAtEnd(builder, found)
                self._return(builder, ty, self.call(builder, ty, called, arguments) if called else 0)
                api.PositionBuilderAtEnd(builder, next_one)
            self.end_program(builder, complaint)
        return function

    def _return(self, builder: Value, ty: Value, value: Value) -> None:
        is_void = self.return_type(ty) == self.void_type()
        self.api.BuildRetVoid(builder) if is_void else self.api.BuildRet(builder, value)

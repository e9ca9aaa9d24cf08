"""What a module holds, by LLVM's C API: attributes, types, accesses to memory, instructions.  Nothing is changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_longlong, c_size_t, c_uint, c_ulonglong, c_void_p
from math import gcd
from typing import Any, TypeVar

from pipeline.analyses.debug_info import FLOAT_BITS
from pipeline.llvm import Module, Value, text

T = TypeVar("T")
FUNCTION = 2**32 - 1  # LLVMAttributeFunctionIndex
RESULT = 0  # LLVMAttributeReturnIndex
FUNCTION_TYPE, STRUCT = 9, 10  # LLVMTypeKind
EQUAL = 32  # LLVMIntEQ
BELOW = 36  # LLVMIntULT
_INTEGER, _ARRAY, _VECTOR = 8, 11, 13
ADDRESS_MATTERS = 0  # LLVMNoUnnamedAddr
_EQUALITY = {EQUAL, 33}  # and LLVMIntNE
_BULK = ("llvm.memcpy.", "llvm.memmove.", "llvm.memset.")
_ROUNDED = ("llvm.fptosi.sat.", "llvm.fptoui.sat.", "llvm.is.fpclass.")
_POINTER_BYTES = 8
BY_USER = "crategrad_inactive"
"""The attribute of a function that is inactive by the user's word."""
UNTIL_OPT2 = {name: f"crategrad_{name}" for name in ("nofree", "noinline")}
"""LLVM's attributes that a function is given until the derivatives are there, each with the one that tells so."""
INACTIVE, SHADOW, _INVARIANT = b"enzyme_inactive", b"enzyme_shadow", b"invariant.load"
# LLVMOpcode: shl, lshr, ashr, and, or, xor, trunc, zext, sext; and icmp, switch, GEP, add, sub, mul, div, rem, int to float.
_BITWISE = {20, 21, 22, 23, 24, 25, 30, 31, 32}
_COUNTING = {42, 3, 29, 8, 10, 12, 14, 15, 17, 18, 35, 36}
_PRODUCT, _QUOTIENT, _REMAINDER = 13, 16, 19  # LLVMFMul, LLVMFDiv, LLVMFRem
_DIVISIONS = {14, 15, 17, 18}  # udiv, sdiv, urem, srem
_FLOAT_ARITHMETIC = {9, 11, 66, _PRODUCT, _QUOTIENT}  # fadd, fsub, fneg
_VECTORS = {51, 52}  # insertelement, shufflevector
_TAKING, _BRANCHING = {42, 35, 36}, {2, 3}  # icmp, int to float; br, switch
_TO_FLOAT, _SHIFTS_RIGHT = {35, 36}, {21, 22}
_LOGIC = {23, 24, 25}
_ADD, _SUBTRACT, _MULTIPLY, _SHIFT_LEFT, _EXCLUSIVE_OR = 8, 10, 12, 20, 25
_TYPE_NAMES = {"f16": "half", "f32": "float", "f64": "double", "f128": "fp128"}  # LLVM's, and Enzyme's
_MANTISSA = {32: 23, 64: 52}
"""How many bits of a float of each width are not its exponent nor its sign."""
_INTERNAL_LINKAGE = {8, 9}  # LLVMInternalLinkage, LLVMPrivateLinkage
_ABOUT_MEMORY = re.compile(
    r"malloc|calloc|realloc|free|posix_memalign|aligned_alloc|mem(?:cpy|move|set|cmp|chr)|bcmp|strlen|\w*__rust_\w+"
)
_FLOATS = {1: "f16", 2: "f32", 3: "f64", 5: "f128"}

_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "PrintTypeToString": (c_void_p, [c_void_p]),
    "IsNull": (c_int, [c_void_p]),
    "GetEnumAttributeKindForName": (c_uint, [c_char_p, c_size_t]),
    "GetStringAttributeAtIndex": (c_void_p, [c_void_p, c_uint, c_char_p, c_uint]),
    "GetEnumAttributeAtIndex": (c_void_p, [c_void_p, c_uint, c_uint]),
    "GetCallSiteStringAttribute": (c_void_p, [c_void_p, c_uint, c_char_p, c_uint]),
    "GetCallSiteEnumAttribute": (c_void_p, [c_void_p, c_uint, c_uint]),
    "GetEnumAttributeValue": (c_ulonglong, [c_void_p]),
    "GlobalGetValueType": (c_void_p, [c_void_p]),
    "GetCalledFunctionType": (c_void_p, [c_void_p]),
    "GetReturnType": (c_void_p, [c_void_p]),
    "CountParamTypes": (c_uint, [c_void_p]),
    "GetParamTypes": (None, [c_void_p, POINTER(c_void_p)]),
    "GetTypeKind": (c_int, [c_void_p]),
    "GetIntTypeWidth": (c_uint, [c_void_p]),
    "CountStructElementTypes": (c_uint, [c_void_p]),
    "GetStructElementTypes": (None, [c_void_p, POINTER(c_void_p)]),
    "GetArrayLength2": (c_ulonglong, [c_void_p]),
    "GetMDKindIDInContext": (c_uint, [c_void_p, c_char_p, c_uint]),
    "GetMetadata": (c_void_p, [c_void_p, c_uint]),
    "GetElementType": (c_void_p, [c_void_p]),
    "TypeOf": (c_void_p, [c_void_p]),
    "PointerTypeInContext": (c_void_p, [c_void_p, c_uint]),
    "IntTypeInContext": (c_void_p, [c_void_p, c_uint]),
    "IsALoadInst": (c_void_p, [c_void_p]),
    "IsAStoreInst": (c_void_p, [c_void_p]),
    "IsAPHINode": (c_void_p, [c_void_p]),
    "IsASwitchInst": (c_void_p, [c_void_p]),
    "IsAIntToPtrInst": (c_void_p, [c_void_p]),
    "IsAPtrToIntInst": (c_void_p, [c_void_p]),
    "IsASelectInst": (c_void_p, [c_void_p]),
    "IsAConstantStruct": (c_void_p, [c_void_p]),
    "IsAReturnInst": (c_void_p, [c_void_p]),
    "IsAFreezeInst": (c_void_p, [c_void_p]),
    "IsAUndefValue": (c_void_p, [c_void_p]),
    "CountIncoming": (c_uint, [c_void_p]),
    "GetIncomingValue": (c_void_p, [c_void_p, c_uint]),
    "GetIncomingBlock": (c_void_p, [c_void_p, c_uint]),
    "ConstBitCast": (c_void_p, [c_void_p, c_void_p]),
    "GetPoison": (c_void_p, [c_void_p]),
    "FloatTypeInContext": (c_void_p, [c_void_p]),
    "DoubleTypeInContext": (c_void_p, [c_void_p]),
    "HalfTypeInContext": (c_void_p, [c_void_p]),
    "FP128TypeInContext": (c_void_p, [c_void_p]),
    "IsABitCastInst": (c_void_p, [c_void_p]),
    "IsATruncInst": (c_void_p, [c_void_p]),
    "IsAZExtInst": (c_void_p, [c_void_p]),
    "ConstNull": (c_void_p, [c_void_p]),
    "IsUndef": (c_int, [c_void_p]),
    "IsConstant": (c_int, [c_void_p]),
    "IsAConstantExpr": (c_void_p, [c_void_p]),
    "IsAConstant": (c_void_p, [c_void_p]),
    "IsAICmpInst": (c_void_p, [c_void_p]),
    "GetICmpPredicate": (c_int, [c_void_p]),
    "IsAFCmpInst": (c_void_p, [c_void_p]),
    "GetFCmpPredicate": (c_int, [c_void_p]),
    "IsAConstantFP": (c_void_p, [c_void_p]),
    "ConstRealGetDouble": (c_double, [c_void_p, POINTER(c_int)]),
    "ABISizeOfType": (c_ulonglong, [c_void_p, c_void_p]),
    "OffsetOfElement": (c_ulonglong, [c_void_p, c_void_p, c_uint]),
    "GetModuleDataLayout": (c_void_p, [c_void_p]),
    "IsFunctionVarArg": (c_int, [c_void_p]),
    "GetAllocatedType": (c_void_p, [c_void_p]),
    "IsAAllocaInst": (c_void_p, [c_void_p]),
    "IsAInstruction": (c_void_p, [c_void_p]),
    "IsThreadLocal": (c_int, [c_void_p]),
    "GetLinkage": (c_int, [c_void_p]),
    "GetUnnamedAddress": (c_int, [c_void_p]),
    "GetSection": (c_char_p, [c_void_p]),
    "IsAAtomicRMWInst": (c_void_p, [c_void_p]),
    "IsAAtomicCmpXchgInst": (c_void_p, [c_void_p]),
    "IsASExtInst": (c_void_p, [c_void_p]),
    "IsAFPToSIInst": (c_void_p, [c_void_p]),
    "IsAFPToUIInst": (c_void_p, [c_void_p]),
    "IsABinaryOperator": (c_void_p, [c_void_p]),
    "IsAConstantInt": (c_void_p, [c_void_p]),
    "IsAGetElementPtrInst": (c_void_p, [c_void_p]),
    "GetGEPSourceElementType": (c_void_p, [c_void_p]),
    "ConstIntGetSExtValue": (c_longlong, [c_void_p]),
    "GetVolatile": (c_int, [c_void_p]),
    "GetOrdering": (c_int, [c_void_p]),
    "GetAlignment": (c_uint, [c_void_p]),
    "GetParam": (c_void_p, [c_void_p, c_uint]),
}


Slot = tuple[Value, int, int]
"""A place in memory: what it is in, at which byte, and how many bits it has."""


class Inspector:
    """What a module holds.  Handles are those of the module."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.api = module.api
        self.api.load(_SIGNATURES)
        self.layout = int(self.api.GetModuleDataLayout(module.handle))

    # ---- attributes

    def has_attribute(self, function: Value, name: str) -> bool:
        """True where the function itself has the attribute (`noreturn` …)."""
        return bool(self.api.GetEnumAttributeAtIndex(function, FUNCTION, self._kind(name)))

    def parameter_has_attribute(self, function: Value, position: int, name: str) -> bool:
        """True where the parameter has the attribute (`sret` …)."""
        return bool(self.api.GetEnumAttributeAtIndex(function, 1 + position, self._kind(name)))

    def is_fresh_memory(self, call: Value) -> bool:
        """True where a call returns memory that nothing else points to: what an allocator gives."""
        kind, callee = self._kind("noalias"), self.module.callee(call)
        is_callees = self.module.is_function(callee) and self.api.GetEnumAttributeAtIndex(callee, RESULT, kind)
        return bool(is_callees or self.api.GetCallSiteEnumAttribute(call, RESULT, kind))

    def returns_by_pointer(self, function: Value) -> bool:
        """True where the first parameter is the place of the result.

        rustc says both of it; `sret` is taken off what Enzyme is shown (`slice`).
        """
        said = (self.parameter_has_attribute(function, 0, name) for name in ("sret", "dead_on_unwind"))
        return bool(self.parameters(function)) and any(said)

    def is_internal(self, value: Value) -> bool:
        """True for a function, or a global variable, that nothing outside of the module can name."""
        return self.api.GetLinkage(value) in _INTERNAL_LINKAGE

    def has_text_attribute(self, function: Value, name: str) -> bool:
        """True where the function itself has an attribute that is no LLVM's own."""
        return bool(self.api.GetStringAttributeAtIndex(function, FUNCTION, name.encode(), len(name)))

    def parameter_has_text_attribute(self, function: Value, position: int, name: str) -> bool:
        """True where the parameter has an attribute that is no LLVM's own."""
        return bool(self.api.GetStringAttributeAtIndex(function, 1 + position, name.encode(), len(name)))

    def says_type(self, instruction: Value) -> bool:
        """True for an instruction of which Enzyme is told what type it makes."""
        return bool(self.api.GetMetadata(instruction, self.metadata_kind(b"enzyme_type")))

    def call_has_attribute(self, call: Value, name: str) -> bool:
        """True where the call itself has the attribute."""
        return bool(self.api.GetCallSiteEnumAttribute(call, FUNCTION, self._kind(name)))

    def call_has_text_attribute(self, call: Value, name: str) -> bool:
        """True where the call itself has an attribute that is no LLVM's own."""
        return bool(self.api.GetCallSiteStringAttribute(call, FUNCTION, name.encode(), len(name)))

    def argument_has_text_attribute(self, call: Value, position: int, name: str) -> bool:
        """True where an argument has an attribute, for this call, that is no LLVM's own."""
        return bool(self.api.GetCallSiteStringAttribute(call, 1 + position, name.encode(), len(name)))

    def alignment(self, call: Value, position: int) -> int:
        """To how many bytes the call says that the pointer that it is given is aligned."""
        found = self.api.GetCallSiteEnumAttribute(call, 1 + position, self._kind("align"))
        return int(self.api.GetEnumAttributeValue(found)) if found else 1

    def _kind(self, name: str) -> int:
        if name not in self.api.attributes:
            self.api.attributes[name] = int(self.api.GetEnumAttributeKindForName(name.encode(), len(name)))
            assert self.api.attributes[name], f"LLVM knows no attribute `{name}`"
        return self.api.attributes[name]

    # ---- types

    def function_type(self, function: Value) -> Value:
        """The type of a function; two functions of the same type have the same handle here."""
        return int(self.api.GlobalGetValueType(function))

    def called_type(self, call: Value) -> Value:
        """The function type that a call calls."""
        return int(self.api.GetCalledFunctionType(call))

    def parameter_types(self, function_type: Value) -> list[Value]:
        """The types of the parameters."""
        types = (c_void_p * self.api.CountParamTypes(function_type))()
        self.api.GetParamTypes(function_type, types)
        return [int(ty or 0) for ty in types]

    def return_type(self, function_type: Value) -> Value:
        """The type of what is returned."""
        return int(self.api.GetReturnType(function_type))

    def parameters(self, function: Value) -> list[Value]:
        """The parameters of a function."""
        count = self.api.CountParamTypes(self.function_type(function))
        return [int(self.api.GetParam(function, index)) for index in range(count)]

    def pointer_type(self) -> Value:
        """The type of pointers."""
        return int(self.api.PointerTypeInContext(self.module.context, 0))

    def void_type(self) -> Value:
        """The type of what returns nothing."""
        return int(self.api.VoidTypeInContext(self.module.context))

    def integer(self, bits: int) -> Value:
        """The integer type of that width."""
        return int(self.api.IntTypeInContext(self.module.context, bits))

    def integer_bits(self, ty: Value) -> int:
        """The width of an integer type; 0 for any other."""
        return int(self.api.GetIntTypeWidth(ty)) if self.api.GetTypeKind(ty) == _INTEGER else 0

    def is_of_integers(self, ty: Value) -> bool:
        """True for an integer type, and a vector of one."""
        return bool(self.integer_bits(self.api.GetElementType(ty) if self.api.GetTypeKind(ty) == _VECTOR else ty))

    def type_text(self, ty: Value) -> str:
        """A type as LLVM writes it, `<4 x double>`."""
        message = self.api.PrintTypeToString(ty)
        try:
            return text(message)
        finally:
            self.api.DisposeMessage(message)

    def size_of(self, ty: Value) -> int:
        """The bytes that a value of the type takes."""
        return int(self.api.ABISizeOfType(self.layout, ty))

    def members(self, ty: Value) -> list[Value]:
        """The types in a struct type; the type itself where it is none."""
        if self.api.GetTypeKind(ty) != STRUCT:
            return [ty]
        types = (c_void_p * self.api.CountStructElementTypes(ty))()
        self.api.GetStructElementTypes(ty, types)
        return [int(member or 0) for member in types]

    def float_type(self, bits: int) -> Value:
        """The float type of that width."""
        names = {16: "Half", 32: "Float", 64: "Double", 128: "FP128"}
        return int(getattr(self.api, f"{names[bits]}TypeInContext")(self.module.context))

    def float_name(self, ty: Value) -> str:
        """What Rust calls a float type, or that of a vector's elements; empty for any other."""
        kind = self.api.GetTypeKind(ty)
        return _FLOATS.get(self.api.GetTypeKind(self.api.GetElementType(ty)) if kind == _VECTOR else kind, "")

    def leaves(self, ty: Value) -> list[Value]:
        """The types in a type that are no struct and no array, however deep; that of an array's elements once."""
        kind = self.api.GetTypeKind(ty)
        if kind not in {STRUCT, _ARRAY}:
            return [ty]
        inside = self.members(ty) if kind == STRUCT else [int(self.api.GetElementType(ty))]
        return [leaf for member in inside for leaf in self.leaves(member)]

    def vectors_in(self, ty: Value) -> list[Value]:
        """The vector types in a type, however deep."""
        return [leaf for leaf in self.leaves(ty) if self.api.GetTypeKind(leaf) == _VECTOR]

    def processor(self, function: Value) -> tuple[Value, ...]:
        """What tells for which processor a function is compiled: attributes, the same for the same one."""
        names = (b"target-cpu", b"target-features")
        return tuple(self.api.GetStringAttributeAtIndex(function, FUNCTION, name, len(name)) for name in names)

    def float_types(self, function: Value) -> set[str]:
        """The float types that a function computes or stores."""
        types = set()
        for instruction in self.module.instructions(function):
            stored = self.api.IsAStoreInst(instruction)
            types.add(self.api.TypeOf(self.api.GetOperand(instruction, 0) if stored else instruction))
        return {name for ty in types if (name := self.float_name(ty))}

    def enzyme_type(self, ty: Value) -> str:
        """What Enzyme's type analysis calls a float type, `Float@double`; empty for any other."""
        name = self.float_name(ty)
        return f"Float@{_TYPE_NAMES[name]}" if name else ""

    def is_float(self, value: Value) -> bool:
        """True for a value of a float type."""
        return self.api.GetTypeKind(self.api.TypeOf(value)) in _FLOATS

    def has_floats(self, value: Value) -> bool:
        """True for a float, a vector of floats, and what has one of these inside."""
        return any(map(self.float_name, self.leaves(self.api.TypeOf(value))))

    # ---- accesses

    def is_plain_load(self, instruction: Value) -> bool:
        """True for a load that is neither volatile nor atomic."""
        return bool(self.api.IsALoadInst(instruction)) and self._is_plain(instruction)

    def is_plain_store(self, instruction: Value) -> bool:
        """True for a store that is neither volatile nor atomic."""
        return bool(self.api.IsAStoreInst(instruction)) and self._is_plain(instruction)

    def exchanges(self, instruction: Value) -> bool:
        """True for an atomic instruction that reads and writes in one."""
        return bool(self.api.IsAAtomicRMWInst(instruction) or self.api.IsAAtomicCmpXchgInst(instruction))

    def atomic_type(self, instruction: Value) -> Value:
        """The type of what an atomic access reads or writes; 0 for any other instruction."""
        api = self.api
        if self.exchanges(instruction):
            return int(api.TypeOf(self.operands(instruction)[-1]))
        is_access = api.IsALoadInst(instruction) or api.IsAStoreInst(instruction)
        return self.accessed_type(instruction) if is_access and api.GetOrdering(instruction) else 0

    def _is_plain(self, access: Value) -> bool:
        return not self.api.GetVolatile(access) and not self.api.GetOrdering(access)

    def accessed_type(self, instruction: Value) -> Value:
        """The type of what an instruction gives, or, if it is a store, of what it stores."""
        value = self.api.GetOperand(instruction, 0) if self.api.IsAStoreInst(instruction) else instruction
        return int(self.api.TypeOf(value))

    def slot(self, access: Value) -> Slot:
        """Where a load or a store goes, as far as constant offsets lead back."""
        ty = self.accessed_type(access)
        pointer, offset = self.place(self.api.GetOperand(access, 1 if self.api.IsAStoreInst(access) else 0))
        return pointer, offset, self.integer_bits(ty) or FLOAT_BITS.get(self.float_name(ty), 0)

    def place(self, pointer: Value) -> tuple[Value, int]:
        """What a pointer is counted from, and by how many bytes, as far as constant offsets lead back."""
        offset = 0
        while self.api.IsAGetElementPtrInst(pointer) and self.api.GetNumOperands(pointer) == 2:
            index = self.api.GetOperand(pointer, 1)
            if not self.api.IsAConstantInt(index) or self.integer_bits(self.api.GetGEPSourceElementType(pointer)) != 8:
                break
            offset += self.api.ConstIntGetSExtValue(index)
            pointer = self.api.GetOperand(pointer, 0)
        return pointer, offset

    def accesses(self, base: Value) -> Iterator[Value]:
        """The loads and stores in memory, by whatever address is computed of its own."""
        waiting = [base]
        while waiting:
            pointer = waiting.pop()
            for user in self.module.users(pointer):
                if self.api.IsAGetElementPtrInst(user):
                    waiting.append(user)
                elif self.is_plain_load(user) or (self.is_plain_store(user) and self.operands(user)[1] == pointer):
                    yield user

    def vtable_slot(self, pointer: Value) -> int | None:
        """At which byte of a vtable a pointer was read; None where it may be no vtable's.

        rustc marks what it reads from a vtable as never changing, and nothing else.
        """
        kind = self.metadata_kind(_INVARIANT)
        if not self.is_plain_load(pointer) or not self.api.GetMetadata(pointer, kind):
            return None
        return self.slot(pointer)[1]

    def member_at(self, constant: Value, offset: int) -> Value:
        """The pointer that stands at a byte of a constant struct of pointers and bytes; 0 where there is none."""
        place = 0
        for index in range(self.api.GetNumOperands(constant)):
            member = self.api.GetOperand(constant, index)
            ty = self.api.TypeOf(member)
            is_bytes = self.api.GetTypeKind(ty) == _ARRAY
            if place == offset:
                return 0 if is_bytes else int(member)
            place += self.api.GetArrayLength2(ty) if is_bytes else _POINTER_BYTES
        return 0

    def allocated_type(self, slot: Value) -> Value:
        """The type of what lies in a place on the stack."""
        return int(self.api.GetAllocatedType(slot))

    def users_through_offsets(self, pointer: Value) -> list[Value]:
        """What uses a pointer, or what is counted or chosen from it."""
        return list(self.once_of(pointer, "users through offsets", self._users_through_offsets))

    def once_of(self, value: Value, what: str, find: Callable[[Value], T]) -> T:
        """What is found of a value, by what the function alone does that it is in: once for as long as nothing changes that."""
        function = self.function_of(value)
        if function:
            return self.module.once_in(function, (what, value), lambda: find(value))
        return self.module.once((what, value), lambda: find(value))

    def function_of(self, value: Value) -> Value:
        """The function that an instruction, or a parameter, is in; 0 for what is in none."""
        if self.api.IsAInstruction(value):
            return self.module.parent(value)
        return int(self.api.GetParamParent(value)) if self.api.IsAArgument(value) else 0

    def _users_through_offsets(self, pointer: Value) -> list[Value]:
        known: dict[Value, None] = {}
        waiting = [pointer]
        while waiting:
            new = [user for user in self.module.users(waiting.pop()) if user not in known]
            known |= dict.fromkeys(new)
            waiting += [user for user in new if self.is_choice(user) or self.api.IsAGetElementPtrInst(user)]
        return [user for user in known if not self.is_choice(user) and not self.api.IsAGetElementPtrInst(user)]

    def bases(self, pointer: Value) -> list[Value]:
        """What a pointer may lead into, through choices and whatever is added to it."""
        return list(self.once_of(pointer, "bases", self._bases))

    def _bases(self, pointer: Value) -> list[Value]:
        behind = self.behind(pointer)
        return [value for value in behind if not self.is_choice(value) and not self.api.IsAGetElementPtrInst(value)]

    def moves_on(self, pointer: Value) -> bool:
        """Whether a pointer is one that something is added to in each run of a loop."""
        behind = self.behind(pointer)
        return any(self.api.IsAGetElementPtrInst(value) and self.api.IsAPHINode(self.operands(value)[0]) for value in behind)

    def behind(self, pointer: Value) -> dict[Value, None]:
        """A pointer, and what it is chosen from, or counted from, in as many steps as it takes."""
        known: dict[Value, None] = {}
        waiting = [pointer]
        while waiting:
            value = waiting.pop()
            if value not in known:
                known[value] = None
                if self.is_choice(value):
                    waiting += self.chosen(value)
                elif self.api.IsAGetElementPtrInst(value):
                    waiting.append(int(self.api.GetOperand(value, 0)))
        return known

    def leads_nowhere(self, pointer: Value) -> bool:
        """True for a null pointer, one that is undefined, and a number taken for one, as of what is empty."""
        return bool(self.api.IsConstant(pointer)) and not self.api.IsAGlobalVariable(pointer)

    def is_pointer_cast(self, value: Value) -> bool:
        """True for a cast from a pointer to an integer, or back."""
        return bool(self.api.IsAIntToPtrInst(value) or self.api.IsAPtrToIntInst(value))

    # ---- constants

    def freezes_pointer(self, instruction: Value) -> bool:
        """True for what gives a pointer, or any one where that is undefined."""
        return bool(self.api.IsAFreezeInst(instruction)) and self.api.TypeOf(instruction) == self.pointer_type()

    def functions_in_constants(self, function: Value) -> list[Value]:
        """The functions with a body that stand in the constants that a function uses: those of a vtable."""
        found = (inside for constant in self._constants_used(function) for inside in self.inside(constant))
        return [value for value in dict.fromkeys(found) if self.module.is_defined(value)]

    def functions_mentioned(self, function: Value) -> list[Value]:
        """The functions that a function calls or whose address it has, by themselves or in constants, and may return."""
        instructions = self.module.returning_instructions(function)
        used = dict.fromkeys(operand for instruction in instructions for operand in self.operands(instruction))
        constants = (value for value in used if self.api.IsAConstant(value))
        return [one for one in dict.fromkeys(i for c in constants for i in self.inside(c)) if self.module.is_function(one)]

    def constants_with_functions(self, function: Value) -> list[Value]:
        """The global variables that a function uses and that never change, in which functions stand: vtables."""
        inside = (one for constant in self._constants_used(function) for one in self.inside(constant))
        variables = (one for one in dict.fromkeys(inside) if self.api.IsAGlobalVariable(one) and self.api.IsGlobalConstant(one))
        return [one for one in variables if any(map(self.module.is_function, self.inside(one)))]

    def changing_variables(self, function: Value) -> list[Value]:
        """The global variables that a function uses and that may change: `static mut`, atomics, thread-locals."""
        instructions = self.module.instructions(function)
        return list(dict.fromkeys(variable for one in instructions for variable in self.changing_variables_named(one)))

    def changing_variables_named(self, instruction: Value) -> list[Value]:
        """Those that an instruction has among its operands."""
        variables = filter(self.api.IsAGlobalVariable, dict.fromkeys(self._named_in(instruction)))
        return [variable for variable in variables if not self.api.IsGlobalConstant(variable)]

    def _named_in(self, instruction: Value) -> Iterator[Value]:
        """The operands, and what the addresses among them that are constants are computed of."""
        for operand in self.operands(instruction):
            is_address = self.api.IsAConstantExpr(operand)
            yield from self.operands(operand) if is_address else (operand,)

    def _constants_used(self, function: Value) -> list[Value]:
        used = (operand for instruction in self.module.instructions(function) for operand in self.operands(instruction))
        return [value for value in dict.fromkeys(used) if self.api.IsAConstant(value) and not self.module.is_function(value)]

    def inside(self, constant: Value) -> list[Value]:
        """A constant, and all constants that stand in it, however deep; of a function nothing more."""
        waiting, known = [constant], {constant: None}
        while waiting:
            value = waiting.pop()
            if self.module.is_function(value):
                continue
            inside = [self.api.GetInitializer(value) or 0] if self.api.IsAGlobalVariable(value) else self.operands(value)
            new = [one for one in inside if one and one not in known and self.api.IsAConstant(one)]
            known |= dict.fromkeys(new)
            waiting += new
        return list(known)

    def globals_in(self, values: Iterable[Value]) -> list[Value]:
        """The functions and global variables that constants among values are made of."""
        waiting = [value for value in values if self.api.IsAConstant(value)]
        known: dict[Value, None] = {}
        while waiting:
            value = waiting.pop()
            if value not in known:
                known[value] = None
                is_global = self.module.is_function(value) or self.api.IsAGlobalVariable(value)
                waiting += [] if is_global else self.operands(value)
        return [value for value in known if self.module.is_function(value) or self.api.IsAGlobalVariable(value)]

    def null(self) -> Value:
        """The pointer that points nowhere."""
        return int(self.api.ConstNull(self.pointer_type()))

    def number(self, value: Value) -> int | None:
        """The number that a constant is; None where a value is none."""
        return int(self.api.ConstIntGetSExtValue(value)) if self.api.IsAConstantInt(value) else None

    def bound(self, load: Value) -> int | None:
        """What the number is below that is loaded, and never below 0, as rustc says of tags; None where it does not."""
        node = self.api.GetMetadata(load, self.metadata_kind(b"range"))
        bounds = list(map(self.number, self.module.metadata_operands(node))) if node else []
        first, end = bounds if len(bounds) == 2 else (None, None)
        return end if first is not None and end is not None and 0 <= first < end else None

    def is_below_floats(self, access: Value) -> bool:
        """Whether an integer is loaded of which rustc says that it is smaller than the bits of any ordinary float so wide."""
        mantissa = _MANTISSA.get(self.integer_bits(self.accessed_type(access)))
        bound = self.bound(access) if self.is_plain_load(access) else None
        return mantissa is not None and bound is not None and bound <= 1 << mantissa

    def is_null(self, value: Value) -> bool:
        """True for zero and for the null pointer."""
        return bool(self.api.IsNull(value))

    def is_simple_constant(self, value: Value) -> bool:
        """True for an integer constant that can be taken apart: a number of up to 64 bits, or whatever does not matter."""
        number = self.api.IsAConstantInt(value) and self.integer_bits(self.api.TypeOf(value)) <= 64
        return bool(number or self.api.IsAUndefValue(value))  # poison is one of these

    def is_constant(self, value: Value) -> bool:
        """True for a constant, the address of a global among them, and for a choice between constants."""
        if self.is_choice(value):
            return all(self.api.IsConstant(one) for one in self.chosen(value))
        return bool(self.api.IsConstant(value))

    def could_be_float(self, constant: Value) -> bool:
        """Whether a number, read as a float, is more than next to nothing; a zero is as good as either.

        One just below zero, as what counts who borrows of a `RefCell`, would be a NaN such as nobody writes.
        """
        bits = self.integer_bits(self.api.TypeOf(constant))
        if bits not in _MANTISSA or not self.api.IsAConstantInt(constant):
            return False
        number = int(self.api.ConstIntGetZExtValue(constant))
        magnitude, is_just_below_zero = number & ~(1 << bits - 1), (1 << bits) - number < 1 << _MANTISSA[bits] - 1
        return magnitude >> _MANTISSA[bits] != 0 and not is_just_below_zero

    def constant_parts(self, value: Value, bits: int, ty: Value) -> list[Value]:
        """A simple constant as constants of a type of so many bits, the lowest first."""
        count = self.integer_bits(self.api.TypeOf(value)) // bits
        if not self.api.IsAConstantInt(value):
            return [self.api.GetPoison(ty)] * count
        number = int(self.api.ConstIntGetZExtValue(value))
        words = [self.api.ConstInt(self.integer(bits), number >> (bits * part) & (1 << bits) - 1, 0) for part in range(count)]
        return [int(self.api.ConstBitCast(word, ty)) for word in words]

    def is_known_integer(self, value: Value) -> bool:
        """True for a number, a parameter, what an intrinsic returns, a comparison, and a float rounded to an integer."""
        api = self.api
        is_rounded = api.IsAFPToSIInst(value) or api.IsAFPToUIInst(value)
        is_made = is_rounded or self.compares(value)
        return bool(is_made or api.IsAArgument(value)) or self.is_simple_constant(value) or self.is_intrinsic(value)

    def rounds_or_compares(self, value: Value) -> bool:
        """True for what rounds a float to an integer, and for a comparison of floats: neither has a derivative."""
        rounded = self.is_call_of(value, _ROUNDED)
        api = self.api
        return bool(rounded or api.IsAFPToSIInst(value) or api.IsAFPToUIInst(value) or api.IsAFCmpInst(value))

    def compares(self, value: Value) -> bool:
        """True for a comparison of two values."""
        return bool(self.api.IsAICmpInst(value) or self.api.IsAFCmpInst(value))

    def is_local(self, value: Value) -> bool:
        """True for a parameter, and for what an instruction gives."""
        return bool(self.api.IsAArgument(value) or self.api.IsAInstruction(value))

    # ---- instructions

    def operands(self, instruction: Value) -> list[Value]:
        """The operands of an instruction."""
        return [int(self.api.GetOperand(instruction, index)) for index in range(self.api.GetNumOperands(instruction))]

    def is_choice(self, value: Value) -> bool:
        """True for a phi or a select."""
        return bool(self.api.IsAPHINode(value) or self.api.IsASelectInst(value))

    def chosen(self, choice: Value) -> list[Value]:
        """What a phi or a select chooses from."""
        if self.api.IsASelectInst(choice):
            return [int(self.api.GetOperand(choice, index)) for index in (1, 2)]
        return [int(self.api.GetIncomingValue(choice, index)) for index in range(self.api.CountIncoming(choice))]

    def metadata_kind(self, name: bytes) -> int:
        """The number under which metadata of this name is attached."""
        return int(self.api.GetMDKindIDInContext(self.module.context, name, len(name)))

    def is_undefined(self, value: Value) -> bool:
        """True for what may be any value, or is none (poison)."""
        return bool(self.api.IsUndef(value))

    def sources(self, value: Value) -> list[Value]:
        """What a value is chosen from, however many choices lie between; the value itself where it is not chosen."""
        known: dict[Value, None] = {}
        waiting = [value]
        while waiting:
            value = waiting.pop()
            if value not in known:
                known[value] = None
                waiting += self.chosen(value) if self.is_choice(value) else []
        return [value for value in known if not self.is_choice(value)]

    def incoming_blocks(self, phi: Value) -> list[Value]:
        """The blocks from which a phi's values come."""
        return [int(self.api.GetIncomingBlock(phi, index)) for index in range(self.api.CountIncoming(phi))]

    def incoming_from(self, phi: Value, block: Value) -> Value:
        """The value that a phi has if control came from a block."""
        return self.chosen(phi)[self.incoming_blocks(phi).index(block)]

    def phis_of_one_block_twice(self, function: Value) -> list[Value]:
        """The phis of floats to which a block leads in several ways, as a `switch` does.

        And in a function with a `switch` those that may become so, as what lies on the way has no effect but takes time: that
        have one and the same float from several blocks.
        """
        phis = filter(self.api.IsAPHINode, self.module.returning_instructions(function))
        floats = [phi for phi in phis if self.float_name(self.api.TypeOf(phi))]
        has_switch = any(self.api.IsASwitchInst(i) for i in self.module.instructions(function))
        return [
            phi for phi in floats if _repeats(self.incoming_blocks(phi)) or (has_switch and _repeats(self._numbers_chosen(phi)))
        ]

    def _numbers_chosen(self, phi: Value) -> list[Value]:
        """What a phi chooses from but constants; of what is read, from where."""
        chosen = [value for value in self.chosen(phi) if not self.api.IsAConstant(value)]
        return [self.operands(value)[0] if self.is_plain_load(value) else value for value in chosen]

    def is_intrinsic(self, value: Value) -> bool:
        """True for a call of one of LLVM's own functions."""
        return self.is_call_of(value, "llvm.")

    def is_bulk_write(self, value: Value) -> bool:
        """True for a `memcpy`, a `memmove` and a `memset`."""
        return self.is_call_of(value, _BULK)

    def is_thread_local_address(self, value: Value) -> bool:
        """True for what asks where this thread has a variable."""
        return self.is_call_of(value, "llvm.threadlocal.address.")

    def is_enzymes(self, function: Value) -> bool:
        """True for what Enzyme is called by: a derivative in a function that is differentiated once more."""
        return self.module.name(function).startswith("__enzyme_")

    def asks_enzyme(self, user: Value) -> bool:
        """True for a call of Enzyme's."""
        return self.module.is_call(user) and self.is_enzymes(self.module.callee(user))

    def asks_for(self, call: Value, wish: str) -> bool:
        """Whether a call of Enzyme's has this among its arguments, by which something is asked for beside the derivative."""
        return wish in map(self.module.name, self.module.arguments(call))

    def is_about_memory(self, function: Value) -> bool:
        """True for what allocates, frees, copies or compares memory, by the C library or by Rust's own functions."""
        return bool(_ABOUT_MEMORY.fullmatch(self.module.name(function)))

    def is_inactive(self, function: Value) -> bool:
        """True for what Enzyme calls as it stands: it has no derivative."""
        return self.has_text_attribute(function, "enzyme_inactive")

    def is_own_inactive(self, call: Value) -> bool:
        """True for a call of an inactive function that a repair has made: it stands in nobody's source."""
        callee = self.module.callee(call)
        return self.module.is_defined(callee) and self.is_inactive(callee) and not self.module.subprogram(callee)

    def is_inactive_by_user(self, function: Value) -> bool:
        """True for what is inactive as the user says so, whatever comes out of it."""
        return self.has_text_attribute(function, BY_USER)

    def is_said_inactive(self, instruction: Value) -> bool:
        """True for an instruction of which Enzyme is told that what it makes has no derivative."""
        kind = self.metadata_kind(INACTIVE)
        return bool(self.api.GetMetadata(instruction, kind))

    def is_thread_local(self, variable: Value) -> bool:
        """True for a global variable of which every thread has its own."""
        return bool(self.api.IsThreadLocal(variable))

    def is_variable_inactive(self, variable: Value) -> bool:
        """True for a global variable of which Enzyme is told that it has no shadow but itself."""
        return self._has_global_metadata(variable, INACTIVE)

    def has_shadow(self, variable: Value) -> bool:
        """True for a global variable of which Enzyme is told which one its shadow is."""
        return self._has_global_metadata(variable, SHADOW)

    def _has_global_metadata(self, variable: Value, named: bytes) -> bool:
        size, kind = c_size_t(), self.metadata_kind(named)
        entries = self.api.GlobalCopyAllMetadata(variable, byref(size))
        kinds = {self.api.ValueMetadataEntriesGetKind(entries, index) for index in range(size.value)}
        self.api.DisposeValueMetadataEntries(entries)
        return kind in kinds

    def is_call_said_inactive(self, call: Value) -> bool:
        """True for a call of which Enzyme is told that it is to be made as it stands."""
        return self.call_has_text_attribute(call, INACTIVE.decode())

    def leaves_alone(self, user: Value) -> bool:
        """True for what does nothing to a pointer that Enzyme has to know: a comparison, and a call of what is inactive."""
        callee = self.module.callee(user) if self.module.is_call(user) else 0
        is_inactive = bool(callee) and self.module.is_function(callee) and self.is_inactive(callee)
        return bool(self.api.IsAICmpInst(user)) or is_inactive

    def is_lifetime(self, value: Value) -> bool:
        """True for a call that says where the life of a stack slot begins or ends."""
        return self.is_call_of(value, "llvm.lifetime.")

    def is_call_of(self, value: Value, prefix: str | tuple[str, ...]) -> bool:
        """True for a call of a function whose name begins so, or in one of these ways."""
        return self.module.is_call(value) and self.module.name(self.module.callee(value)).startswith(prefix)

    def float_behind(self, value: Value) -> Value:
        """The float of whose bits an integer is made; 0 where it is not made so."""
        source = self.api.GetOperand(value, 0) if self.api.IsABitCastInst(value) else 0
        return int(source) if source and self.is_float(source) else 0

    def is_cast_to_float(self, value: Value) -> bool:
        """True for a bitcast that makes a float of an integer."""
        return bool(self.api.IsABitCastInst(value)) and self.is_float(value)

    def is_comparison_with_null(self, value: Value, pointer: Value) -> bool:
        """True for what tells whether a pointer is null."""
        return bool(self.api.IsAICmpInst(value)) and set(self.operands(value)) == {pointer, self.null()}

    def is_equality(self, value: Value) -> bool:
        """True for a comparison of integers or pointers by == or !=."""
        return bool(self.api.IsAICmpInst(value)) and self.api.GetICmpPredicate(value) in _EQUALITY

    def is_logic(self, value: Value) -> bool:
        """True for an and, an or, a not, and for the select that is one of these."""
        is_one_bit = self.integer_bits(self.api.TypeOf(value)) == 1
        return is_one_bit and (self.opcode(value) in _LOGIC or bool(self.api.IsASelectInst(value)))

    def is_integer_arithmetic(self, value: Value) -> bool:
        """True for what makes an integer of integers: counted, widened, cut or chosen."""
        is_resized = self.api.IsATruncInst(value) or self.api.IsAZExtInst(value) or self.api.IsASExtInst(value)
        return bool(is_resized or self.api.IsABinaryOperator(value)) or self.is_choice(value)

    def is_sum(self, value: Value) -> bool:
        """True for a sum of two integers."""
        return self.opcode(value) == _ADD

    def is_sum_or_product(self, value: Value) -> bool:
        """True for a sum, a difference or a product of integers, be it by a shift."""
        return self.opcode(value) in {_ADD, _SUBTRACT, _MULTIPLY, _SHIFT_LEFT}

    def is_difference(self, value: Value) -> bool:
        """True for a difference of two integers."""
        return self.opcode(value) == _SUBTRACT

    def is_exclusive_or(self, value: Value) -> bool:
        """True for where two integers differ, bit by bit."""
        return self.opcode(value) == _EXCLUSIVE_OR

    def is_float_arithmetic(self, value: Value) -> bool:
        """True for a sum, a difference, a product, a quotient and a negation of floats."""
        return self.opcode(value) in _FLOAT_ARITHMETIC

    def is_product(self, value: Value) -> bool:
        """True for a product of floats."""
        return self.opcode(value) == _PRODUCT

    def is_remainder(self, value: Value) -> bool:
        """True for what a quotient of floats leaves."""
        return self.opcode(value) == _REMAINDER

    def is_quotient(self, value: Value) -> bool:
        """True for a quotient of floats."""
        return self.opcode(value) == _QUOTIENT

    def divides_integers(self, value: Value) -> bool:
        """True for a quotient of integers and for what is left by one: of zero there is none."""
        return self.opcode(value) in _DIVISIONS

    def is_vector_of_integers(self, value: Value) -> bool:
        """True for what puts integers into a vector, or the elements of vectors of integers into another."""
        return self.is_of_integers(self.api.TypeOf(value)) and self.opcode(value) in _VECTORS

    def is_bitwise(self, value: Value) -> bool:
        """True for what shifts, cuts or widens an integer, or combines the bits of two."""
        return self.opcode(value) in _BITWISE

    def counts(self, user: Value) -> bool:
        """True for a comparison, a `switch`, an address, arithmetic of integers, and a float made of the number that one is."""
        return self.opcode(user) in _COUNTING

    def computes_with(self, user: Value) -> bool:
        """True for arithmetic of integers, and for an address that is made of one."""
        return self.opcode(user) in _COUNTING - _TAKING - _BRANCHING

    def takes_number(self, user: Value) -> bool:
        """Whether an instruction compares integers, makes a float of the number that one is, or is of no account."""
        return self.opcode(user) in _TAKING or self.leaves_alone(user) or self.is_lifetime(user)

    def makes_number(self, value: Value) -> bool:
        """True for what makes a float of the number that an integer is."""
        return self.opcode(value) in _TO_FLOAT

    def shifted_right(self, value: Value) -> int:
        """By how many bits an integer is shifted to the right; 0 where it is not, or that is not known."""
        is_shift = self.opcode(value) in _SHIFTS_RIGHT
        return (self.number(self.operands(value)[1]) or 0) if is_shift else 0

    def shifts_left(self, value: Value) -> bool:
        """True for what may bring the lowest bits of an integer to the highest."""
        return self.opcode(value) in {_SHIFT_LEFT, _MULTIPLY} or self.is_intrinsic(value)

    def ends_block_by_choice(self, instruction: Value) -> bool:
        """True for a branch and a `switch`."""
        return self.opcode(instruction) in _BRANCHING

    def origin(self, value: Value) -> tuple[Value, int]:
        """What a pointer or an integer is counted from, and a number that divides all that was added to it; 0: nothing was."""
        divisor = 0
        while True:
            if self.api.IsAGetElementPtrInst(value) and self.api.GetNumOperands(value) == 2:
                size = self.api.ABISizeOfType(self.layout, self.api.GetGEPSourceElementType(value))
                value, amount = self.operands(value)
                divisor = gcd(divisor, size * self._divisor(amount))
            elif self.is_sum(value):
                value, amount = self.operands(value)
                divisor = gcd(divisor, self._divisor(amount))
            else:
                return value, divisor

    def _divisor(self, amount: Value) -> int:
        """A number that surely divides an integer."""
        if self.api.IsAConstantInt(amount):
            return abs(int(self.api.ConstIntGetSExtValue(amount)))
        return self.factor(amount) or 1

    def factor(self, product: Value) -> int:
        """By which number an integer is multiplied; 0 where it is not, or by none that is known."""
        factor = self.operands(product)[1] if self.opcode(product) in {_MULTIPLY, _SHIFT_LEFT} else 0
        if not factor or not self.api.IsAConstantInt(factor):
            return 0
        number = int(self.api.ConstIntGetZExtValue(factor))
        return number if self.opcode(product) == _MULTIPLY else 1 << number

    def opcode(self, value: Value) -> int:
        """Which instruction a value is, by LLVM's number (LLVMOpcode); 0 for what is none."""
        return int(self.api.GetInstructionOpcode(value)) if self.api.IsAInstruction(value) else 0


def _repeats(values: list[Value]) -> bool:
    return len(set(values)) < len(values)

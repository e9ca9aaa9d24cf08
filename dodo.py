"""The task graph: nine stages, the artifact they make, the tests and the doctor.  `./doit list` shows it."""

from pipeline import as_before

PROGRAM = as_before.tasks()
DOIT_CONFIG = PROGRAM.doit_config()


def task__look_ahead():
    """What others have made of the stages, from the remote cache side by side"""
    return PROGRAM.look_ahead()


def task_build_std():
    """Std, core, alloc … from their sources to bitcode: a sysroot, once per toolchain"""
    return PROGRAM.stage("build_std")


def task_crate_bitcode():
    """The crate and its dependencies to bitcode, by cargo"""
    return PROGRAM.stage("crate_bitcode")


def task_llvm_link():
    """Many modules to one, by the config's strategy"""
    return PROGRAM.stage("llvm_link")


def task_opt1():
    """Optimise before differentiation: no vectorising, no unrolling"""
    return PROGRAM.stage("opt1")


def task_abi_fixup():
    """Match each derivative's placeholder with its primal, for Enzyme"""
    return PROGRAM.stage("abi_fixup")


def task_enzyme():
    """Synthesise the derivatives"""
    return PROGRAM.stage("enzyme")


def task_opt2():
    """Optimise after differentiation"""
    return PROGRAM.stage("opt2")


def task_codegen():
    """Object code"""
    return PROGRAM.stage("codegen")


def task_link():
    """The artifact, by the real linker with cargo's own arguments"""
    return PROGRAM.stage("link")


def task_build():
    """Build the artifact; say where it is and what each stage took"""
    return PROGRAM.program(run=False)


def task_execute():
    """Build the program and run it (`./doit`, `./doit run`)"""
    return PROGRAM.program(run=True)


def task_abi():
    """What becomes of each differentiated header, stage by stage: ./doit abi [FUNCTION] crate=DIR"""
    return PROGRAM.abi()


def task_perf():
    """What each derivative keeps for its reverse sweep, and why: ./doit perf [FUNCTION] crate=DIR [--json]"""
    return PROGRAM.perf()


def task_gradcheck():
    """Check each derivative against differences at random points: ./doit gradcheck [FUNCTION] crate=DIR n=3 seed=1"""
    return PROGRAM.gradcheck()


def task_matrix():
    """Build the cells of a matrix, one after the other: ./doit matrix [CELL…] crate=DIR matrix=FILE shard=1/3 [--json]"""
    return PROGRAM.matrix()


def task_graph():
    """Draw the stages and the crates with state, time and size: ./doit graph crate=DIR [--out=FILE] [--json]"""
    return PROGRAM.graph()


def task_why():
    """How each stage stands, what moved in its key, and why it last ran: ./doit why [STAGE] crate=DIR [--diff] [--json]"""
    return PROGRAM.why()


def task_history():
    """The last runs: what they carried out, how and why: ./doit history [RUN] crate=DIR [--json] [--trace=FILE]"""
    return PROGRAM.history()


def task_replay():
    """A stage as a shell script with its inputs, to be sent to somebody: ./doit replay STAGE crate=DIR"""
    return PROGRAM.replay()


def task_cache():
    """The cache: ./doit cache stats|gc|verify|push, and of a crate and config pin|unpin|pull (docs/cache.md)"""
    return PROGRAM.cache()


def task_test():
    """The test suite; pytest's arguments after it: ./doit test -k abi"""
    return PROGRAM.test()


def task_bench_gradient():
    """Time gradients of Rust against those of C++: ./doit bench_gradient [NAME[:SIZE,…]…] [--held] (docs/performance.md)"""
    return PROGRAM.bench_gradient()


def task_doctor():
    """Every tool: where, which version, why it is wanted, and how to get what is missing"""
    return PROGRAM.doctor()

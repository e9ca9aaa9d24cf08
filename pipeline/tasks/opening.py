"""From the command line to a build that is planned."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import doit.doit_cmd

from pipeline import request
from pipeline.build import Build
from pipeline.cache import Cache
from pipeline.config import Config, ConfigError
from pipeline.crate import Crate, open_crate, sources_digest
from pipeline.digests import Digests
from pipeline.edited import Edit
from pipeline.linker import find_linker
from pipeline.plan import Sources, plan
from pipeline.platforms import rust_for_target, tools_for_target
from pipeline.request import Request
from pipeline.runs import Runs
from pipeline.stages.build_std import sources_of_std
from pipeline.stages.prebuilt_std import libraries_of_std
from pipeline.store import Store
from pipeline.tasks.outcomes import give_up
from pipeline.toolchain import Rust, find_tools
from pipeline.toolchains import rust_for

if TYPE_CHECKING:
    from pipeline.remote import Remote


def new_digests() -> Digests:
    """What is known of files' digests, from the cache folder."""
    return Digests(request.cache_folder() / "digests.json")


def read_asked(digests: Digests) -> Request:
    """What the command line asks for; where that makes no sense the process ends."""
    try:
        remote_of_this_run()
        return request.read_request(doit.doit_cmd._CMDLINE_VARS or {}, digests)
    except ConfigError as error:
        give_up(error)


def open_build(asked: Request, digests: Digests, *, gradcheck: bool = False) -> Build:
    """Find the crate and the tools, and plan the stages.

    Raises: UserError where one is missing, or makes no sense.
    """
    target, rerun = asked.config.target, asked.rerun
    host = rust_for(asked.config.toolchain, asked.folder, digests)
    rust = rust_for_target(host, target)
    tools = digests.once("tools", target, lambda: tools_for_target(find_tools(), target))
    crate = open_crate(asked.folder, asked.choice, rust, digests, asked.target_dir)
    build_std = asked.config.build_std
    std = digests.once("std", (build_std, rust), lambda: _digest_of_std(build_std, rust, digests))
    libraries = digests.once("libraries", rust, lambda: digest_of_libraries(host, rust, digests))
    sources, linker = Sources(std, sources_digest(crate, digests), libraries), find_linker(tools.cc, digests)
    offline, manners = request.offline(), request.manners()
    steps = plan(asked.config, crate, sources, rust, tools, linker, offline=offline, manners=manners, gradcheck=gradcheck)
    rerun.check({step.name for step in steps})
    edit = Edit(rerun.first, rerun.edited, tools) if rerun.edited else None
    runs = Runs(request.cache_folder() / "runs" / asked.name)
    cache = _cache(crate, asked.config, digests)
    return Build(steps, crate, crate.output / asked.folder_name, cache, digests, runs, edit)


def _cache(crate: Crate, config: Config, digests: Digests) -> Cache:
    # What is made for the processor that is here is wrong on another machine, and its key does not say which it was.
    shared = None if config.codegen.cpu == "native" else remote_of_this_run()
    return Cache(Store(request.cache_folder(), digests), Store(crate.output / ".cache", digests), shared)


def remote_of_this_run() -> Remote | None:
    """The remote cache, if the environment names one."""
    if not os.environ.get("CRATEGRAD_REMOTE"):
        return None
    from pipeline import remote

    return remote.of_this_run()


def digest_of_libraries(host: Rust, rust: Rust, digests: Digests) -> str:
    """Of what macros and build scripts are made of, and of what else the toolchain has for the target."""
    folders = dict.fromkeys(each.libraries for each in (host, rust) if each.libraries.is_dir())
    return " ".join(map(digests.tree, folders))


def _digest_of_std(build_std: str, rust: Rust, digests: Digests) -> str:
    if build_std == "none":
        return ""
    return (sources_of_std if build_std == "full" else libraries_of_std)(rust, digests)

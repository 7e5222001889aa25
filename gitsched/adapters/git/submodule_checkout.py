"""Check out the submodules of a tree, without a word in the repository's configuration.

`git submodule init` would write there, and the configuration is the user's. What it would write is said on the
command line instead. A submodule that the user has cloned already is cloned from that copy, so that a night without
a network works; its recorded address is then put right.
"""

import os
from collections.abc import Mapping
from typing import NamedTuple

from gitsched.adapters.git.process import Git, engine_git
from gitsched.adapters.git.site import LONG_S, Site

_GITLINK = b"160000 "


class _Submodule(NamedTuple):
    name: str
    path: str
    url: str


def check_out(site: Site) -> str | None:
    """Bring every submodule to the commit that the tree records, clean. None: done; else what git said."""
    if not (site.path / ".gitmodules").is_file():
        return None
    configured = _configured(site)
    for module in _recorded(site):
        refused = _bring(site, module, configured)
        if refused is not None:
            return f"submodule '{module.path}': {refused}"
    return None


def _recorded(site: Site) -> list[_Submodule]:
    """List the submodules that .gitmodules names and the tree has."""
    named: dict[str, dict[str, str]] = {}
    for key, value in _pairs(site.git, "-f", str(site.path / ".gitmodules")):
        name, _, field = key.removeprefix("submodule.").rpartition(".")
        named.setdefault(name, {})[field] = value
    paths = [fields["path"] for fields in named.values() if "path" in fields]
    staged = site.git.run("ls-files", "--stage", "-z", "--", *paths).out.split(b"\0") if paths else []
    links = {os.fsdecode(line.split(b"\t", 1)[1]) for line in staged if line.startswith(_GITLINK)}
    return [
        _Submodule(name, fields["path"], fields["url"])
        for name, fields in named.items()
        if fields.get("path") in links and "url" in fields
    ]


def _configured(site: Site) -> Mapping[str, str]:
    return dict(_pairs(site.git))


def _pairs(git: Git, *where: str) -> list[tuple[str, str]]:
    done = git.run("config", "-z", *where, "--get-regexp", r"^(submodule|remote\.origin)\.", check=False)
    lines = [os.fsdecode(line) for line in done.out.split(b"\0") if line]
    return [(key, value) for key, _, value in (line.partition("\n") for line in lines)]


def _bring(site: Site, module: _Submodule, configured: Mapping[str, str]) -> str | None:
    prefix = f"submodule.{module.name}"
    if configured.get(f"{prefix}.active", "true") in {"false", "no", "off", "0"}:
        return None
    url = configured.get(f"{prefix}.url") or _absolute(module.url, site, configured)
    store = site.admin.parents[1] / "modules" / module.name
    git = engine_git(site.path, {"GIT_LITERAL_PATHSPECS": "1"})
    words = ("-c", f"{prefix}.active=true", "-c", f"{prefix}.update=checkout")
    update = ("submodule", "--quiet", "update", "--force", "--checkout", "--", module.path)
    done = None
    if (store / "HEAD").is_file():
        local = ("-c", f"{prefix}.url={store}", "-c", "protocol.file.allow=always")
        done = git.run(*words, *local, *update, timeout_s=LONG_S, check=False)
    if done is None or not done.ok:
        done = git.run(*words, "-c", f"{prefix}.url={url}", *update, timeout_s=LONG_S, check=False)
    if not done.ok:
        return done.complaint()
    return _finish(site, module, url)


def _finish(site: Site, module: _Submodule, url: str) -> str | None:
    """Record the true address, clean, and go on with the submodule's own submodules."""
    own = site.admin / "modules" / module.name / "config"
    if own.is_file():
        site.git.run("config", "-f", str(own), "remote.origin.url", url)
    inside = engine_git(site.path / module.path)
    inside.run("clean", "-ffdxq", timeout_s=LONG_S)
    if not (site.path / module.path / ".gitmodules").is_file():
        return None
    nested = ("submodule", "--quiet", "update", "--init", "--recursive", "--force", "--checkout")
    done = inside.run(*nested, timeout_s=LONG_S, check=False)
    return None if done.ok else done.complaint()


def _absolute(url: str, site: Site, configured: Mapping[str, str]) -> str:
    """Resolve an address relative to the repository's own, as gitsubmodules(7) says."""
    if not url.startswith(("./", "../")):
        return url
    common = site.admin.parents[1]
    place = configured.get("remote.origin.url") or str(common.parent if common.name == ".git" else common)
    place = place.rstrip("/")
    while url.startswith(("./", "../")):
        if url.startswith("../"):
            cut = max(place.rfind("/"), place.rfind(":"))
            place = place[: max(cut, 0)]
        url = url[url.index("/") + 1 :]
    return f"{place}/{url}"

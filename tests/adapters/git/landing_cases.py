"""One case per thing that git's merge machinery knows: what each side does, and what git makes of it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.real_git import Git

LINES = "".join(f"line {number}\n" for number in range(1, 21))
Side = Callable[["Project"], None]


@dataclass
class Project:
    """A worktree that a case writes to, and git to run in it."""

    path: Path
    git: Git

    def write(self, name: str, content: str | bytes) -> None:
        place = self.path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)

    def edit(self, name: str, line: int, text: str) -> None:
        lines = (self.path / name).read_bytes().splitlines(keepends=True)
        end = b"\r\n" if lines[line - 1].endswith(b"\r\n") else b"\n"
        lines[line - 1] = text.encode() + end
        (self.path / name).write_bytes(b"".join(lines))

    def move(self, old: str, new: str) -> None:
        (self.path / new).parent.mkdir(parents=True, exist_ok=True)
        self.git(self.path, "mv", old, new)

    def remove(self, name: str) -> None:
        self.git(self.path, "rm", "-q", "-r", name)

    def link(self, name: str, target: str) -> None:
        (self.path / name).unlink(missing_ok=True)
        (self.path / name).symlink_to(target)

    def executable(self, name: str) -> None:
        (self.path / name).chmod(0o755)

    def submodule(self, commit: str) -> None:
        self.git(self.path, "update-index", "--add", "--cacheinfo", f"160000,{commit * 40},lib")

    def commit(self, message: str = "change", *options: str) -> str:
        self.git(self.path, "add", "--all", "--", ":!lib")
        self.git(self.path, "commit", "-q", *options, "--cleanup=verbatim", "-F", "-", stdin=message)
        return self.git(self.path, "rev-parse", "HEAD")


@dataclass(frozen=True)
class Case:
    """What was there, what landed since, what the member does, and what git makes of it."""

    name: str
    base: Side
    ours: Side
    theirs: Side
    outcome: str
    config: tuple[str, ...] = ()
    """`key=value` for the repository's configuration."""


def _lines(project: Project) -> None:
    project.write("a.txt", LINES)
    project.write("b.txt", "b\n")


def _folder(project: Project) -> None:
    _lines(project)
    for name in "abc":
        project.write(f"old/{name}.txt", f"{name}\n{LINES}")


def _crlf(project: Project) -> None:
    project.write("a.txt", LINES.replace("\n", "\r\n"))


def _text_auto(project: Project) -> None:
    project.write(".gitattributes", "* text=auto\n")
    project.write("a.txt", LINES)


def _attribute(rule: str, inside: str = ".gitattributes") -> Side:
    def write(project: Project) -> None:
        _lines(project)
        project.write(inside, rule + "\n")

    return write


def _edit(name: str, line: int, text: str) -> Side:
    return lambda project: project.edit(name, line, text)


def _append(text: str) -> Side:
    return lambda project: project.write("a.txt", LINES + text)


def both(*sides: Side) -> Side:
    def act(project: Project) -> None:
        for side in sides:
            side(project)

    return act


def _nothing(project: Project) -> None:
    pass


def _sub(commit: str) -> Side:
    return lambda project: project.submodule(commit)


def _message(text: str, *options: str) -> Side:
    def act(project: Project) -> None:
        project.edit("a.txt", 1, "one")
        project.commit(text, *options)

    return act


def _latin(project: Project) -> None:
    project.edit("a.txt", 1, "one")
    project.git(project.path, "add", "--all")
    message = project.path.parent / "message"
    message.write_bytes("Größe\n".encode("latin-1"))
    project.git(project.path, "-c", "i18n.commitEncoding=ISO-8859-1", "commit", "-q", "-F", str(message))


def _empty_after_edit(project: Project) -> None:
    project.edit("a.txt", 1, "one")
    project.commit()
    project.commit("nothing in it", "--allow-empty")


CASES = (
    Case("plain edits", _lines, _edit("a.txt", 1, "one"), _edit("b.txt", 1, "bb"), "clean"),
    Case("two regions of a file", _lines, _edit("a.txt", 1, "one"), _edit("a.txt", 20, "twenty"), "clean"),
    Case("rename below an edit", _lines, lambda p: p.move("a.txt", "z.txt"), _edit("a.txt", 3, "x"), "clean"),
    Case("edit below a rename", _lines, _edit("a.txt", 3, "x"), lambda p: p.move("a.txt", "z.txt"), "clean"),
    Case(
        "file added to a folder that moved",
        _folder,
        lambda p: p.move("old", "new"),
        lambda p: p.write("old/d.txt", "d\n"),
        "conflict",
    ),
    Case(
        "file follows a folder that moved",
        _folder,
        lambda p: p.move("old", "new"),
        lambda p: p.write("old/d.txt", "d\n"),
        "clean",
        ("merge.directoryRenames=true",),
    ),
    Case("mode below an edit", _lines, lambda p: p.executable("a.txt"), _edit("a.txt", 1, "x"), "clean"),
    Case("edit below a mode", _lines, _edit("a.txt", 1, "x"), lambda p: p.executable("a.txt"), "clean"),
    Case("link", lambda p: p.link("l", "x"), lambda p: p.write("n", "n"), lambda p: p.link("l", "y"), "clean"),
    Case(
        "link on both sides",
        lambda p: p.link("l", "x"),
        lambda p: p.link("l", "z"),
        lambda p: p.link("l", "y"),
        "conflict",
    ),
    Case("file to link", _lines, lambda p: p.link("a.txt", "b"), _edit("a.txt", 1, "x"), "conflict"),
    Case(
        "line endings",
        _crlf,
        lambda p: p.write("a.txt", LINES),
        _edit("a.txt", 3, "x"),
        "conflict",
        ("merge.renormalize=false",),
    ),
    Case(
        "line endings renormalized",
        both(_crlf, lambda p: p.write("b.txt", "b\n")),
        both(lambda p: p.write(".gitattributes", "* text=auto\n"), lambda p: p.write("a.txt", LINES)),
        lambda p: p.write("b.txt", "c\n"),
        "clean",
        ("merge.renormalize=true",),
    ),
    Case(
        "CRLF edit over normalized lines",
        both(_crlf, lambda p: p.write(".gitattributes", "* -text\n")),
        both(lambda p: p.write(".gitattributes", "* text=auto\n"), lambda p: p.write("a.txt", LINES)),
        _edit("a.txt", 3, "x"),
        "clean",
        ("merge.renormalize=true",),
    ),
    Case("text=auto", _text_auto, _edit("a.txt", 1, "one"), _edit("a.txt", 20, "x"), "clean"),
    Case("submodule", both(_lines, _sub("1")), _edit("a.txt", 1, "x"), _sub("2"), "clean"),
    Case("submodule on both sides", both(_lines, _sub("1")), _sub("2"), _sub("3"), "conflict"),
    Case("submodule moved alike", both(_lines, _sub("1")), _sub("2"), _sub("2"), "nothing"),
    Case("merge=union", _attribute("a.txt merge=union"), _append("ours\n"), _append("theirs\n"), "clean"),
    Case(
        "merge=union in a folder",
        both(_attribute("a.txt merge=union", "sub/.gitattributes"), lambda p: p.write("sub/a.txt", LINES)),
        lambda p: p.write("sub/a.txt", LINES + "ours\n"),
        lambda p: p.write("sub/a.txt", LINES + "theirs\n"),
        "clean",
    ),
    Case(
        "merge=union in info/attributes",
        _attribute("a.txt merge=union", ".git/info/attributes"),
        _append("ours\n"),
        _append("theirs\n"),
        "clean",
    ),
    Case(
        "merge=union that landed meanwhile",
        _lines,
        both(_append("ours\n"), lambda p: p.write(".gitattributes", "a.txt merge=union\n")),
        _append("theirs\n"),
        "clean",
    ),
    Case("merge=binary", _attribute("a.txt merge=binary"), _append("ours\n"), _append("theirs\n"), "conflict"),
    Case("added alike", _lines, lambda p: p.write("n", "n\n"), lambda p: p.write("n", "n\n"), "nothing"),
    Case("added differently", _lines, lambda p: p.write("n", "1\n"), lambda p: p.write("n", "2\n"), "conflict"),
    Case("changed and deleted", _lines, _edit("a.txt", 1, "x"), lambda p: p.remove("a.txt"), "conflict"),
    Case("deleted twice", _lines, lambda p: p.remove("b.txt"), lambda p: p.remove("b.txt"), "nothing"),
    Case("same change", _lines, _edit("a.txt", 1, "x"), _edit("a.txt", 1, "x"), "nothing"),
    Case(
        "part of what landed",
        _lines,
        both(_edit("a.txt", 1, "x"), _edit("a.txt", 20, "y")),
        _edit("a.txt", 1, "x"),
        "nothing",
    ),
    Case(
        "file became a folder",
        _lines,
        both(lambda p: p.remove("b.txt"), lambda p: p.write("b.txt/c", "c\n")),
        _edit("a.txt", 1, "x"),
        "clean",
    ),
    Case(
        "renamed alike, then edited",
        _lines,
        lambda p: p.move("a.txt", "z.txt"),
        both(lambda p: p.move("a.txt", "z.txt"), _edit("z.txt", 4, "x")),
        "clean",
    ),
    Case("neighbouring lines", _lines, _edit("a.txt", 5, "x"), _edit("a.txt", 6, "y"), "conflict"),
    Case("case-only rename", _lines, _edit("a.txt", 1, "x"), lambda p: p.move("b.txt", "B.txt"), "clean"),
    Case(
        "two Unicode spellings",
        _lines,
        lambda p: p.write("caf\u00e9", "1\n"),
        lambda p: p.write("cafe\u0301", "2\n"),
        "clean",
    ),
    Case(
        "large-file pointer",
        _attribute("*.bin filter=lfs diff=lfs merge=lfs -text"),
        _edit("a.txt", 1, "x"),
        lambda p: p.write("x.bin", "version https://git-lfs.github.com/spec/v1\n"),
        "clean",
    ),
    Case(
        "UTF-16 in the worktree",
        both(
            lambda p: p.write(".gitattributes", "w.txt working-tree-encoding=UTF-16\n"),
            lambda p: p.write("w.txt", LINES.encode("utf-16")),
        ),
        lambda p: p.write("w.txt", LINES.replace("line 1\n", "one\n").encode("utf-16")),
        lambda p: p.write("w.txt", LINES.replace("line 20\n", "twenty\n").encode("utf-16")),
        "clean",
    ),
    Case("latin-1 message", _lines, _edit("b.txt", 1, "x"), _latin, "clean"),
    Case(
        "latin-1 kept",
        _lines,
        _edit("b.txt", 1, "x"),
        _latin,
        "clean",
        ("i18n.commitEncoding=ISO-8859-1",),
    ),
    Case(
        "message with comments and blanks",
        _lines,
        _edit("b.txt", 1, "x"),
        _message("\n\nFix it  \n# not a comment\n\n\n\nbody   \n\n\n"),
        "clean",
    ),
    Case("message without a line end", _lines, _edit("b.txt", 1, "x"), _message("Fix it"), "clean"),
    Case("no message", _lines, _edit("b.txt", 1, "x"), _message("", "--allow-empty-message"), "clean"),
    Case("empty from the start", _lines, _edit("b.txt", 1, "x"), _empty_after_edit, "clean"),
    Case("nothing landed since", _lines, _nothing, _edit("a.txt", 1, "x"), "clean"),
)

"""Programs given as text to an interpreter: python -c, perl -e, node -e and their like.

Only what is recognisable is recognised (docs/security.md says what is not): calls that
delete, calls that run a shell line, and paths written out in the text.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_DELETES = re.compile(
    r"""rmtree | \bos\s*\.\s*(remove|unlink|rmdir|removedirs|truncate)\b | \.unlink\s*\(
    | \.rmdir\s*\( | \bunlink\b | \brmSync\b | \brmdirSync\b | \bunlinkSync\b
    | \bfs\s*\.\s*(rm|rmdir|unlink)\b
    | \brimraf\b | remove_tree | \brm_rf?\b | FileUtils\s*\.\s*(rm|remove) | File\s*\.\s*delete
    | Dir\s*\.\s*(rmdir|delete) | \bremove_dir_all\b | RecursiveDirectoryIterator | send2trash
    | \brm\s+-[a-zA-Z]*[rRf] | \bmkfs | \bdd\s+if= | \bshred\b""",
    re.VERBOSE,
)
_TREE = re.compile(
    r"rmtree|recursive|remove_tree|rm_r|remove_dir_all|rimraf|\brm\s+-\w*[rR]|\brm_rf"
)
_RUNS = re.compile(
    r"os\.(system|popen|exec\w*|spawn\w*)|subprocess|child_process|execSync|spawnSync|\bsystem\b"
    r"|\bexec\b|`|\bqx\b|Process\.|\beval\b|__import__|getattr|importlib|compile\(|base64|codecs"
)
_STRING = re.compile(r"""'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)\"""")
_DELETERS = frozenset({"rmtree", "remove", "unlink", "rmdir", "removedirs", "truncate", "replace"})
_SHELLS = frozenset({"system", "popen", "run", "call", "check_call", "check_output", "Popen"})
_SHELLS |= frozenset({"getoutput", "getstatusoutput", "create_subprocess_shell"})


@dataclass(frozen=True, slots=True)
class Code:
    """What can be told of a program.

    deleted: paths it deletes, None in it for one that is not known. tree: whole folders.
    paths: every text in it that may be a path. lines: shell lines it runs; None in it for
    one that is not known.
    """

    deleted: tuple[str | None, ...] = ()
    tree: bool = False
    paths: tuple[str, ...] = ()
    lines: tuple[str | None, ...] = field(default=())


def read_code(language: str, text: str) -> Code:
    """Look through a program. language: the interpreter's bare name."""
    if language.startswith("python"):
        try:
            return _python(ast.parse(text))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            pass
    return _other(text)


def _other(text: str) -> Code:
    strings = tuple(single or double for single, double in _STRING.findall(text))
    deletes = bool(_DELETES.search(text))
    shown = tuple(string for string in strings if string) or (None,)
    return Code(
        deleted=shown if deletes else (),
        tree=deletes and bool(_TREE.search(text)),
        paths=strings,
        lines=(*strings, None) if _RUNS.search(text) else (),
    )


def _python(tree: ast.Module) -> Code:
    deleted: list[str | None] = []
    lines: list[str | None] = []
    whole = False
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = _called(node)
        if name in _DELETERS and not _is_text_replace(node, name):
            deleted += _operands(node)
            whole = whole or name in ("rmtree", "removedirs")
        elif isinstance(node.func, ast.Name) and name in ("exec", "eval"):
            nested = _nested(node)
            deleted += nested.deleted
            lines += nested.lines
            whole = whole or nested.tree
        elif name in _SHELLS or name.startswith(("exec", "spawn")):
            lines.append(_command(node))
        elif name in ("compile", "__import__", "getattr", "import_module"):
            lines.append(None)
    return Code(tuple(deleted), whole, tuple(_texts(tree)), tuple(lines))


def _nested(node: ast.Call) -> Code:
    """The program in exec("..."); one that is not written out may run anything."""
    text = _value(node.args[0]) if node.args else None
    return Code(lines=(None,)) if text is None else read_code("python", text)


def _called(node: ast.Call) -> str:
    match node.func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case _:
            return ""


def _is_text_replace(node: ast.Call, name: str) -> bool:
    """ "a".replace("b", "c") is not os.replace; list.remove(x) is not os.remove."""
    if name not in ("replace", "remove") or not isinstance(node.func, ast.Attribute):
        return False
    owner = node.func.value
    return not (isinstance(owner, ast.Name) and owner.id in ("os", "shutil", "sh"))


def _operands(node: ast.Call) -> Iterator[str | None]:
    """What a deleting call is given: its arguments, or the path whose method it is."""
    if isinstance(node.func, ast.Attribute):
        owner = _value(node.func.value)
        if owner is not None or not node.args:
            yield owner
    for argument in node.args[:2]:
        yield _value(argument)


def _value(node: ast.expr) -> str | None:
    """The text of an expression, where it is written out; ~ stands for the home."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.Call(args=[]) if _called(node) == "home":
            return "~"
        case ast.Call(args=[]) if _called(node) in ("getcwd", "cwd"):
            return "."
        case ast.Call(args=[inner, *rest]) if _called(node) in (
            *("Path", "PurePath", "expanduser", "abspath", "realpath", "resolve", "str", "join"),
        ):
            parts = [_value(part) for part in (inner, *rest)]
            return "/".join(part for part in parts if part) if None not in parts else None
        case ast.Subscript(slice=ast.Constant(value="HOME")):
            return "~"
        case ast.Call(args=[ast.Constant(value="HOME"), *_]):
            return "~"
        case ast.BinOp(left=left, op=ast.Div() | ast.Add(), right=right):
            one, two = _value(left), _value(right)
            glue = "/" if isinstance(node.op, ast.Div) else ""
            return None if one is None or two is None else one + glue + two
        case _:
            return None


def _command(node: ast.Call) -> str | None:
    """The shell line of os.system("...") or subprocess.run(["rm", "x"])."""
    if not node.args:
        return None
    match node.args[0]:
        case ast.List(elts=items) | ast.Tuple(elts=items):
            words = [_value(item) for item in items]
            if any(word is None for word in words):
                return None
            return " ".join("'" + (word or "").replace("'", "'\\''") + "'" for word in words)
        case other:
            return _value(other)


def _texts(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.expr):
            text = _value(node)
            if text and "\n" not in text:
                yield text

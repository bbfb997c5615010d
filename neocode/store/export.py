"""A session as a file to read or to keep: jsonl, md, html; masked on the way out.

Pieces come one by one, so that a long session is never held whole as text.
"""

import html
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Any

from neocode.domain.messages import Message
from neocode.domain.session import SessionState
from neocode.store.lines import encode, line_of

FORMATS = ("jsonl", "md", "html")

_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;
color:#222;background:#fff}
h1{font-size:1.3rem}article{border-left:3px solid #ccc;padding:.1rem .8rem;margin:1rem 0}
article.user{border-color:#2a6}article.assistant{border-color:#36c}article.tool{border-color:#999}
article.error{border-color:#c33}article.summary{border-color:#a6f;background:#f7f2ff}
article.archived{opacity:.65}header{font-size:.8rem;color:#666}
pre{white-space:pre-wrap;overflow-wrap:anywhere;font:13px/1.45 ui-monospace,monospace}
img{max-width:100%}#compacted:checked~main .archived{display:none}
#full:checked~main .shortened{display:none}#compacted:checked~main .whole{display:none}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}
article.summary{background:#241c30}header{color:#999}}
"""


def to_jsonl(
    messages: Iterable[Message], secrets: Sequence[str] = (), keyless: Container[str] = ()
) -> Iterator[str]:
    """The lines of a transcript; `neocode transcripts restore` makes a session of them."""
    for index, message in enumerate(messages):
        yield encode(line_of(message, index, secrets, keyless)).decode()


def to_markdown(
    session: SessionState, messages: Iterable[Message], secrets: Sequence[str] = ()
) -> Iterator[str]:
    """A document: one section a message, archived ones marked."""
    yield f"# {_title(session)}\n\n{_facts(session)}\n"
    for index, message in enumerate(messages):
        line = line_of(message, index, secrets)
        marks = ", ".join(_marks(message))
        yield f"\n## {_name(message)}{f' ({marks})' if marks else ''}\n\n"
        yield from _markdown_body(message, line)


def to_html(
    session: SessionState,
    full: Iterable[Message],
    compacted: Sequence[Message],
    secrets: Sequence[str] = (),
) -> Iterator[str]:
    """One page without scripts or outside files; both views, with a switch between them."""
    live = {message.id: message for message in compacted}
    title = html.escape(_title(session))
    yield (
        "<!doctype html>\n<html lang=en><meta charset=utf-8>"
        "<meta name=viewport content='width=device-width'>"
        f"<title>{title}</title><style>{_STYLE}</style>\n<h1>{title}</h1>"
        f"<p>{html.escape(_facts(session))}</p>\n"
        "<input type=radio name=view id=full checked><label for=full>everything</label> "
        "<input type=radio name=view id=compacted><label for=compacted>what the model sees"
        "</label>\n<main>\n"
    )
    for index, message in enumerate(full):
        now = live.get(message.id, message)
        is_shortened = now.content != message.content
        yield _article(message, line_of(message, index, secrets), "whole" if is_shortened else "")
        if is_shortened:
            yield _article(now, line_of(now, index, secrets), "shortened")
    yield "</main></html>\n"


def _markdown_body(message: Message, line: dict[str, Any]) -> Iterator[str]:
    if message.role == "tool":
        yield fenced(line["content"])
    elif line["content"]:
        yield line["content"].rstrip() + "\n"
    for call in line.get("tool_calls", ()):
        yield f"\nCalls `{call['function']['name']}`:\n\n"
        yield fenced(call["function"]["arguments"], "json")
    for image in message.images:
        yield f"\n*[picture, {image.media_type}]*\n"


def fenced(text: str, language: str = "") -> str:
    """A code block whose fence is longer than any in the text."""
    longest = 2
    run = 0
    for char in text:
        run = run + 1 if char == "`" else 0
        longest = max(longest, run)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}\n"


def _article(message: Message, line: dict[str, Any], view: str) -> str:
    kinds = [message.role, view, *(["error"] if message.is_error else [])]
    kinds += ["summary"] if message.is_compaction_summary else []
    kinds += ["archived"] if message.compacted_at else []
    parts = [f"<pre>{html.escape(line['content'])}</pre>"] if line["content"] else []
    parts += [
        f"<pre>→ {html.escape(call['function']['name'])} "
        f"{html.escape(call['function']['arguments'])}</pre>"
        for call in line.get("tool_calls", ())
    ]
    parts += [
        f"<img alt=picture src='data:{html.escape(image.media_type, quote=True)};base64,"
        f"{html.escape(image.data, quote=True)}'>"
        for image in message.images
    ]
    head = " · ".join((_name(message), *_marks(message), message.created_at, message.id))
    return (
        f"<article class='{' '.join(filter(None, kinds))}'><header>{html.escape(head)}</header>"
        f"{''.join(parts)}</article>\n"
    )


def _name(message: Message) -> str:
    if message.is_compaction_summary:
        return "Summary"
    if message.role == "tool":
        return f"Result of {message.tool_name or 'a tool'}"
    return message.role.capitalize()


def _marks(message: Message) -> list[str]:
    marks = ["archived"] if message.compacted_at else []
    marks += ["error"] if message.is_error else []
    return marks + (["interrupted"] if message.metadata.get("interrupted") else [])


def _title(session: SessionState) -> str:
    return " ".join(session.title.split()) or f"Session {session.id}"


def _facts(session: SessionState) -> str:
    facts = (session.id, session.model, session.cwd, f"begun {session.created_at}")
    return " · ".join(filter(None, facts))

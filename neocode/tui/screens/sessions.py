"""The session list: search titles and text, look at the end of one, open, name, copy, delete."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from textual import work

from neocode.domain.errors import NeoCodeError
from neocode.tui.fuzzy import best
from neocode.tui.present import counted
from neocode.tui.screens.picker import Entry, Picker
from neocode.tui.text.clean import clean, one_line
from neocode.tui.text.lines import Block, Line, Span
from neocode.tui.text.times import ago

if TYPE_CHECKING:
    from neocode.domain.messages import Message
    from neocode.domain.session import Hit, SessionInfo
    from neocode.tui.ports import Shelf
    from neocode.tui.screens.chat import ChatScreen

_TAIL = 8
_WAIT_S = 0.12
"""After so long without a key the text of all sessions is searched and the preview read."""
FORMATS = ("md", "html", "jsonl")


def session_entry(
    info: "SessionInfo", now: datetime, *, current: str, here: str, full: bool
) -> Entry:
    """One line of the list; what is compacted carries the switch between its views."""
    mark = "● " if info.id == current else ""
    place = "" if info.cwd == here else f" · {Path(info.cwd).name}"
    view = f"[{'full' if full else 'compacted'}] " if info.compactions else ""
    about = f"{ago(info.updated_at, now)} · {counted(info.messages, 'message')}"
    return Entry(info.id, f"{mark}{info.title or '(no title)'}", f"{view}{about}{place}")


def tail_blocks(messages: Sequence["Message"], snippet: str = "") -> list[Block]:
    """The end of a conversation in few lines; snippet: the passage that a search found."""
    out: list[Block] = []
    if snippet:
        out = [Line((Span("found  ", "accent b"), Span(one_line(snippet, 400)))), Line()]
    for message in messages:
        words = one_line(message.content, 300)
        if message.is_compaction_summary or not words or message.role == "tool":
            continue
        who, style = ("you    ", "accent") if message.role == "user" else ("model  ", "muted")
        out.append(Line((Span(words),), (Span(who, style),), (Span("       "),)))
    return out or [Line((Span("Nothing was said in it yet.", "muted"),))]


class SessionPicker(Picker):
    """Hands back the session to open (full says in which view); works on the shelf by itself."""

    placeholder = "type to search titles and everything that was said"
    keys = "Enter opens · Tab full or compacted · ^R name · ^F copy · ^X export · ^D delete · Esc"

    def __init__(
        self,
        shelf: "Shelf",
        infos: Sequence["SessionInfo"],
        *,
        current: str,
        here: str,
        rename_current: Callable[[str], Awaitable[None]],
        now: datetime | None = None,
    ) -> None:
        super().__init__("Sessions", (), empty="There is no other session yet.")
        self._shelf, self._infos = shelf, list(infos)
        self._rename_current = rename_current
        self._current, self._here, self._now = current, here, now or datetime.now(UTC)
        self._full: set[str] = set()
        self._tails: dict[str, Sequence[Message]] = {}
        self._snippets: Mapping[str, str] = {}
        self._letters = ""
        self._doing = ""
        self.previews = True
        self._list()

    @property
    def full(self) -> bool:
        """Whether the marked session would be opened in the full view."""
        return self.marked is not None and self.marked.value in self._full

    def _list(self) -> None:
        entries = [
            session_entry(
                info, self._now, current=self._current, here=self._here, full=info.id in self._full
            )
            for info in self._infos
        ]
        self.set_entries(entries, keep=True)

    # --- search and preview

    def search(self, letters: str) -> None:
        """Titles at once, text soon after; in a task the letters are its words."""
        if self._doing or letters == self._letters:
            return
        self._letters, self._snippets = letters, {}
        self._show_titles()
        if letters:
            self.set_timer(_WAIT_S, lambda: self._look_for(letters))

    def _titles(self) -> list[Entry]:
        if not self._letters:
            return list(self._entries)
        names = {f"{e.words} {e.more}\0{i}": e for i, e in enumerate(self._entries)}
        return [names[name] for name in best(self._letters, names, 200)]

    def _show_titles(self) -> None:
        self.show_found(self._titles())

    def _look_for(self, letters: str) -> None:
        if letters == self._letters:
            self._search(letters)

    @work(group="search", exclusive=True)
    async def _search(self, letters: str) -> None:
        try:
            hits = await self._shelf.search(letters)
        except NeoCodeError as error:
            self.say(error.message, "error")
            return
        if letters == self._letters:
            self._show_hits(hits)

    def _show_hits(self, hits: Sequence["Hit"]) -> None:
        """Sessions whose text fits stand behind those whose title has the letters as they are."""
        snippets: dict[str, str] = {}
        for hit in hits:
            snippets.setdefault(hit.session_id, hit.snippet)
        self._snippets = snippets
        known = {entry.value: entry for entry in self._entries}
        low = self._letters.lower()
        named = [e for e in self._titles() if low in f"{e.words} {e.more}".lower()]
        names = {entry.value for entry in named}
        said = [known[i] for i in snippets if i in known and i not in names]
        rest = [] if named or said else self._titles()
        self.show_found([*named, *said, *rest])

    def preview_of(self, entry: Entry) -> Sequence[Block]:
        """The end of the session; read in a moment when it is not there yet."""
        tail = self._tails.get(entry.value)
        if tail is None:
            self.set_timer(_WAIT_S, lambda: self._read(entry.value))
            return [Line((Span("…", "muted"),))]
        return tail_blocks(tail, self._snippets.get(entry.value, "") if self._letters else "")

    def _read(self, session_id: str) -> None:
        if self.marked is not None and self.marked.value == session_id:
            self._read_tail(session_id)

    @work(group="tail", exclusive=True)
    async def _read_tail(self, session_id: str) -> None:
        if session_id not in self._tails:
            try:
                self._tails[session_id] = await self._shelf.newest(session_id, _TAIL)
            except NeoCodeError as error:
                self.say(error.message, "error")
                self._tails[session_id] = ()
            self.draw()

    # --- keys

    def pressed(self, key: str) -> bool:
        """Tab and the Ctrl keys of the last line; Esc leaves a task first."""
        if self._doing:
            return self._in_task(key)
        marked = self.marked
        if marked is None:
            return False
        match key:
            case "tab":
                self._full ^= {marked.value}
                self._list_again()
            case "ctrl+r":
                title = next((i.title for i in self._infos if i.id == marked.value), "")
                self._ask("rename", "New title; Enter keeps it, Esc does not", title)
            case "ctrl+d" | "delete":
                words = f'Delete "{one_line(marked.words, 40)}" for good? y deletes, Esc does not'
                self._ask("delete", words, "")
            case "ctrl+x":
                words = "Export as m Markdown · h HTML · j JSONL (Esc: not)"
                self._ask("export", words, "")
            case "ctrl+f":
                self._work(self._fork(marked.value))
            case _:
                return False
        return True

    def _ask(self, doing: str, words: str, text: str) -> None:
        from textual.widgets import Input

        self._doing = doing
        self.say(words, "warn b")
        field = self.query_one(Input)
        field.value = text
        field.cursor_position = len(text)

    def _in_task(self, key: str) -> bool:
        marked = self.marked
        if key in ("escape", "ctrl+c") or marked is None:
            self._end_task()
            return True
        if self._doing == "rename":
            return key in ("tab", "up", "down")
        if self._doing == "delete" and key == "y":
            self._work(self._delete(marked.value))
        elif self._doing == "export" and key in "mhj":
            style = next(f for f in FORMATS if f[0] == key)
            self._work(self._export(marked.value, style))
        elif self._doing == "delete":
            self._end_task()
        return True

    def _end_task(self) -> None:
        from textual.widgets import Input

        self._doing = ""
        self.query_one(Input).value = self._letters
        self.say()

    def take(self) -> None:
        """Open the marked one, or keep the new title."""
        from textual.widgets import Input

        if self._doing == "rename" and self.marked is not None:
            self._work(self._rename(self.marked.value, self.query_one(Input).value.strip()))
        elif not self._doing:
            super().take()

    # --- what works on the shelf

    def _work(self, job: Awaitable[str]) -> None:
        self._doing = ""
        self.run_worker(self._told(job), group="shelf")

    async def _told(self, job: Awaitable[str]) -> None:
        try:
            words = await job
            self._infos = list(await self._shelf.sessions())
            self._end_task()
            self._list_again()
            self.say(words, "ok b")
        except NeoCodeError as error:
            self._end_task()
            self.say(f"{error.message} {error.hint}".strip(), "error b")

    def _list_again(self) -> None:
        at = self.marked.value if self.marked else None
        self._list()
        if self._letters:
            self._show_hits(())
        index = next((i for i, e in enumerate(self._found) if e.value == at), 0)
        self._marked = index
        self.draw()

    async def _rename(self, session_id: str, title: str) -> str:
        if session_id == self._current:
            await self._rename_current(title)
        else:
            await self._shelf.rename(session_id, title)
        return "Renamed."

    async def _fork(self, session_id: str) -> str:
        return f"Copied as {await self._shelf.fork(session_id)}; the copy stands on top."

    async def _delete(self, session_id: str) -> str:
        await self._shelf.delete(session_id)
        return "Deleted. Its transcripts stay."

    async def _export(self, session_id: str, style: str) -> str:
        return f"Written to {clean(str(await self._shelf.export(session_id, style)))}"


async def choose_session(chat: "ChatScreen") -> None:
    """The list, and what was chosen in front; runs in a worker."""
    engine, shelf, stage = chat.engine, chat.around.shelf, chat.stage
    if engine is None or stage is None or shelf is None:
        await chat.app.push_screen_wait(Picker("Sessions", (), empty="There is no other session."))
        return
    current = engine.session.id
    try:
        infos = await shelf.sessions()
    except NeoCodeError as error:
        chat.note(f"{error.message} {error.hint}".strip(), "error")
        return
    here = str(engine.root)
    picker = SessionPicker(shelf, infos, current=current, here=here, rename_current=engine.rename)
    chosen = await chat.app.push_screen_wait(picker)
    if chosen is None:
        return
    view = "full" if picker.full else "compacted"
    if chosen == current:
        stage.views.switch(view)
    else:
        stage.views.open_next_as(view)
        chat.send(f"/resume {chosen}")

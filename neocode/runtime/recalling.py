"""What the model does not see any more, for its recall tool and the user's /recall."""

from collections.abc import Sequence
from dataclasses import dataclass

from neocode.compact.shrink import SHORTENED
from neocode.domain.messages import Message
from neocode.domain.session import Hit
from neocode.runtime.around import Around
from neocode.runtime.live import LiveSession
from neocode.runtime.store_port import Store

HITS = 12
SNIPPET_CHARS = 400
_OWN_TOOL = "recall"


@dataclass(slots=True)
class Recalling:
    """Implements tools.base.Archive for the session in front. May be asked in a thread."""

    store: Store
    live: LiveSession
    around: Around

    def search(self, text: str) -> Sequence[Hit]:
        """Archived and cleared records of this session that fit, best first."""
        return self._found(text, self.live.state.id, self._seen())

    def search_everywhere(self, text: str) -> Sequence[Hit]:
        """Records of all sessions that fit, what the model still sees among them."""
        return self._found(text, None, frozenset())

    def record(self, handle: str) -> Message | None:
        """The record of a message's or a call's id; SESSION/ID names one of another session."""
        session_id, slash, rest = handle.partition("/")
        if slash:
            return self.store.find_by_handle(self.store.resolve(session_id), rest)
        return self.store.find_by_handle(self.live.state.id, handle)

    def _found(self, text: str, session_id: str | None, without: frozenset[str]) -> Sequence[Hit]:
        """What recall itself gave back is no find: the records stand for themselves."""
        hits = self.store.search(
            text, session_id, limit=2 * HITS, snippet_chars=SNIPPET_CHARS, without=without
        )
        return [hit for hit in hits if hit.tool_name != _OWN_TOOL][:HITS]

    def _seen(self) -> frozenset[str]:
        """Ids of the messages that the next request holds whole."""
        cleared = frozenset(self.around.look().cleared)
        whole = (m.id for m in self.live.state.messages if SHORTENED not in m.metadata)
        return frozenset(whole) - cleared

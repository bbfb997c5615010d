"""Counting tokens: each message once, corrected by what providers report (spec/context 3)."""

import json
from collections.abc import Iterable, Mapping, Sequence

from neocode.context.encoding import Encoding, count_encoded, encoding_for, load_encoding
from neocode.context.estimate import estimate_chars
from neocode.domain.messages import Image, Message
from neocode.domain.tooling import ToolSpec

MESSAGE_OVERHEAD = 4
CALL_OVERHEAD = 8
TOOL_OVERHEAD = 8
IMAGE_LEAST = 85
IMAGE_MOST = 1600
_IMAGE_EDGE = 1568
_PIXELS_A_TOKEN = 750
_RATIO_LEAST, _RATIO_MOST = 0.5, 4.0
_RATIO_STEP = 0.3
_LEAST_SAMPLE = 200
_CACHE_LIMIT = 60_000

_Fingerprint = tuple[str, int, int, int, int]


class _Counts:
    """The counts made with one encoding: by object, then by the message's id and content.

    by_object holds the message too, so that its address cannot come to mean another one.
    """

    def __init__(self) -> None:
        self.by_object: dict[int, tuple[Message, int]] = {}
        self.by_content: dict[_Fingerprint, int] = {}
        self.specs: dict[int, tuple[ToolSpec, int]] = {}
        self.texts: dict[str, int] = {}


class TokenCounter:
    """Counts with tiktoken once warm, by characters until then.

    What the count_* methods return is uncorrected; scaled() applies the model's learned
    ratio. Safe to warm in a thread while another one counts.
    """

    def __init__(self, ratios: Mapping[str, float] | None = None) -> None:
        self._encodings: dict[str, Encoding] = {}
        self._counts: dict[str, _Counts] = {}
        self._ratios: dict[str, float] = {
            model: _bounded(ratio) for model, ratio in (ratios or {}).items()
        }

    def warm(self, model_id: str = "", messages: Iterable[Message] = ()) -> bool:
        """Load the model's encoding and count these messages; false when there is none.

        Takes about half a second: call it from a background thread.
        """
        name = encoding_for(model_id)
        if name not in self._encodings:
            encoding = load_encoding(name)
            if encoding is None:
                return False
            self._encodings[name] = encoding
        for message in messages:
            self.count_message(message, model_id)
        return True

    def is_warm(self, model_id: str = "") -> bool:
        """True when the model's own encoding is loaded."""
        return encoding_for(model_id) in self._encodings

    def count_text(self, text: str, model_id: str = "") -> int:
        """Tokens of a text; 0 for ""."""
        return _encode(self._pick(model_id)[1], text)

    def count_part(self, text: str, model_id: str = "") -> int:
        """Tokens of a text that is counted again and again, such as the system prompt."""
        name, encoding = self._pick(model_id)
        texts = self._for(name).texts
        count = texts.get(text)
        if count is None:
            if len(texts) > 256:
                texts.clear()
            count = texts[text] = _encode(encoding, text)
        return count

    def count_message(self, message: Message, model_id: str = "") -> int:
        """Tokens of a message with its calls and pictures; counted once, then remembered.

        Reasoning is left out: it is not part of the next request on most providers.
        """
        name, encoding = self._pick(model_id)
        counts = self._for(name)
        known = counts.by_object.get(id(message))
        if known is not None and known[0] is message:
            return known[1]
        return _remember(counts, message, encoding)

    def count_messages(self, messages: Iterable[Message], model_id: str = "") -> int:
        """Tokens of all of them."""
        return sum(self.count_each(messages, model_id))

    def count_each(self, messages: Iterable[Message], model_id: str = "") -> list[int]:
        """Tokens of each, in order; quicker than asking for them one by one."""
        name, encoding = self._pick(model_id)
        counts = self._for(name)
        by_object = counts.by_object
        each: list[int] = []
        for message in messages:
            known = by_object.get(id(message))
            hit = known is not None and known[0] is message
            each.append(known[1] if known and hit else _remember(counts, message, encoding))
        return each

    def count_tools(self, tools: Sequence[ToolSpec], model_id: str = "") -> int:
        """Tokens of the tools' definitions."""
        name, encoding = self._pick(model_id)
        specs = self._for(name).specs
        total = 0
        for tool in tools:
            known = specs.get(id(tool))
            if known is None or known[0] is not tool:
                text = f"{tool.name}\n{tool.description}\n{json.dumps(dict(tool.parameters))}"
                known = specs[id(tool)] = (tool, _encode(encoding, text) + TOOL_OVERHEAD)
            total += known[1]
        return total

    def learn(self, model: str, estimated: int, measured: int) -> None:
        """Correct the model's ratio by one reply: our raw estimate against its figure.

        The first reply counts whole, later ones by three tenths; the ratio stays within
        0.5 and 4. Requests too small to tell, and zeros of silent servers, are ignored.
        """
        if estimated < _LEAST_SAMPLE or measured <= 0:
            return
        seen = measured / estimated
        old = self._ratios.get(model, seen)
        self._ratios[model] = _bounded(old + _RATIO_STEP * (seen - old))

    def ratio(self, model: str) -> float:
        """What estimates for this model are multiplied by; 1.0 before anything was learned."""
        return self._ratios.get(model, 1.0)

    def scaled(self, model: str, tokens: int) -> int:
        """A raw estimate corrected for the model."""
        return round(tokens * self.ratio(model))

    @property
    def ratios(self) -> dict[str, float]:
        """All that was learned, to be stored and given back to the constructor."""
        return dict(self._ratios)

    def _pick(self, model_id: str) -> tuple[str, Encoding | None]:
        """The model's encoding, else any that is loaded: nearer than characters."""
        name = encoding_for(model_id)
        if name in self._encodings:
            return name, self._encodings[name]
        for other, encoding in self._encodings.items():
            return other, encoding
        return "", None

    def _for(self, name: str) -> _Counts:
        counts = self._counts.get(name)
        if counts is None:
            counts = self._counts[name] = _Counts()
        return counts


def image_tokens(image: Image) -> int:
    """Tokens of a picture from its size in pixels, never from its base64; 85 to 1,600.

    Unknown size counts as the most.
    """
    longest = max(image.width, image.height)
    if image.width <= 0 or image.height <= 0:
        return IMAGE_MOST
    scale = min(1.0, _IMAGE_EDGE / longest)
    pixels = image.width * image.height * scale * scale
    return int(min(IMAGE_MOST, max(IMAGE_LEAST, pixels / _PIXELS_A_TOKEN)))


def _remember(counts: _Counts, message: Message, encoding: Encoding | None) -> int:
    if len(counts.by_object) > _CACHE_LIMIT:
        counts.by_object.clear()
    if len(counts.by_content) > _CACHE_LIMIT:
        counts.by_content.clear()
    key = (
        message.id,
        len(message.content),
        hash(message.content),
        hash(message.tool_calls),
        len(message.images),
    )
    count = counts.by_content.get(key)
    if count is None:
        count = counts.by_content[key] = _count(message, encoding)
    counts.by_object[id(message)] = (message, count)
    return count


def _count(message: Message, encoding: Encoding | None) -> int:
    total = MESSAGE_OVERHEAD + _encode(encoding, message.content)
    for call in message.tool_calls:
        total += CALL_OVERHEAD + _encode(encoding, call.name) + _encode(encoding, call.arguments)
    return total + sum(map(image_tokens, message.images))


def _encode(encoding: Encoding | None, text: str) -> int:
    if encoding is None:
        return estimate_chars(text)
    return count_encoded(encoding, text) if text else 0


def _bounded(ratio: float) -> float:
    return min(_RATIO_MOST, max(_RATIO_LEAST, ratio))

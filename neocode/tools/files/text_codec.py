"""Which encoding a file has, and text that goes back to the very same bytes (B48).

Whatever is chosen, decode and encode round trip: a wrong guess shows odd letters, but it
never changes a byte that was not edited.
"""

import codecs
from collections.abc import Callable
from dataclasses import dataclass

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_NAMES = {"gbk": "GBK", "cp932": "Shift-JIS", "cp1252": "Windows-1252", "latin-1": "Latin-1"}
_LEAST_SHARE = 0.7


@dataclass(frozen=True, slots=True)
class Codec:
    """How a file's bytes become text.

    name: Python's codec. bom: the bytes before the text, kept. damaged: UTF-8 with some
    bytes that are not; they are carried along as lone surrogates.
    """

    name: str = "utf-8"
    bom: bytes = b""
    damaged: bool = False

    @property
    def errors(self) -> str:
        """The codec's error handler, the same for reading and writing."""
        return "surrogateescape" if self.damaged else "strict"

    @property
    def label(self) -> str:
        """Its name for people; "" for plain UTF-8."""
        name = _NAMES.get(self.name, self.name.upper())
        if self.damaged:
            return "UTF-8 with invalid bytes"
        if self.bom:
            return f"{name} with BOM"
        return "" if self.name == "utf-8" else name

    def decode(self, data: bytes) -> str:
        """The text of a whole file, without its BOM."""
        return data[len(self.bom) :].decode(self.name, self.errors)

    def encode(self, text: str) -> bytes:
        """A whole file again; raises UnicodeEncodeError for what the encoding lacks."""
        return self.bom + text.encode(self.name, self.errors)


def detect(data: bytes) -> Codec | None:
    """The codec of a whole file's bytes; None when they are no text.

    The answer's decode and encode give back exactly data.
    """
    for bom, name in _BOMS:
        if data.startswith(bom):
            codec = Codec(name, bom)
            return codec if _round_trips(codec, data) else None
    if _is_binary(data):
        return None
    for codec in _candidates(data):
        if _round_trips(codec, data):
            return codec
    return Codec("latin-1")


def _candidates(data: bytes) -> list[Codec]:
    """Codecs to try, best first; data has no BOM and no control bytes to speak of."""
    if _decodes(Codec(), data):
        return [Codec()]
    high = sum(byte >= 0x80 for byte in data[:65536])
    escaped = data[:65536].decode("utf-8", "surrogateescape")
    broken = sum("\udc80" <= char <= "\udcff" for char in escaped)
    if high and broken * 4 <= high:
        return [Codec(damaged=True)]
    scored = [(_plausible(data[:65536], name, rule), name) for name, rule in _LEGACY.items()]
    share, name = max(scored)
    legacy = [Codec(name)] if share >= _LEAST_SHARE else []
    return [*legacy, Codec("cp1252"), Codec("latin-1")]


def _plausible(data: bytes, name: str, is_common: Callable[[int, int], bool]) -> float:
    """Share of the non-ASCII bytes that form common characters of a two-byte encoding."""
    index, good, bad = 0, 0, 0
    while index < len(data):
        lead = data[index]
        if lead < 0x80:
            index += 1
            continue
        trail = data[index + 1] if index + 1 < len(data) else 0
        if is_common(lead, trail):
            good += 2
            index += 2
        else:
            bad += 1
            index += 1
    if not good or not _decodes(Codec(name), data[: -1 if len(data) == 65536 else None]):
        return 0.0
    return good / (good + bad)


def _is_common_gbk(lead: int, trail: int) -> bool:
    """Punctuation, full-width forms and the 3,755 characters of GB 2312's first level."""
    return (lead in (0xA1, 0xA3) or 0xB0 <= lead <= 0xD7) and trail >= 0xA1


def _is_common_shift_jis(lead: int, trail: int) -> bool:
    """Punctuation, kana and kanji of JIS X 0208's first level."""
    if trail < 0x40 or trail == 0x7F:
        return False
    return lead in (0x81, 0x82, 0x83) or 0x88 <= lead <= 0x97


_LEGACY: dict[str, Callable[[int, int], bool]] = {
    "gbk": _is_common_gbk,
    "cp932": _is_common_shift_jis,
}


def _is_binary(data: bytes) -> bool:
    """True for bytes that no text without BOM has: NUL, or many control bytes."""
    head = data[:65536]
    if b"\0" in head:
        return True
    controls = len(head) - len(head.translate(None, bytes(range(1, 8)) + bytes(range(14, 27))))
    return controls * 20 > len(head)


def _decodes(codec: Codec, data: bytes) -> bool:
    try:
        codec.decode(data)
    except UnicodeDecodeError:
        return False
    return True


def _round_trips(codec: Codec, data: bytes) -> bool:
    try:
        return codec.encode(codec.decode(data)) == data
    except UnicodeError:
        return False


def detect_sample(data: bytes) -> Codec | None:
    """The likely codec of a file that begins with data, which may end inside a character."""
    for bom, name in _BOMS:
        if data.startswith(bom):
            return Codec(name, bom)
    if _is_binary(data):
        return None
    for cut in range(4):
        if _decodes(Codec(), data[: len(data) - cut]):
            return Codec()
    return _candidates(data)[0]

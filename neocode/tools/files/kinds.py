"""What a file is, by its first bytes and never by its name (B50). Pure."""

import struct
from dataclasses import dataclass

_MAGIC = (
    (b"%PDF-", "PDF document", "bash: pdftotext FILE -"),
    (b"SQLite format 3\0", "SQLite database", "bash: sqlite3 FILE .schema"),
    (b"PK\x03\x04", "ZIP archive (or docx, xlsx, jar, wheel)", "bash: unzip -l FILE"),
    (b"\x1f\x8b", "gzip data", "bash: zcat FILE | head"),
    (b"BZh", "bzip2 data", "bash: bzcat FILE | head"),
    (b"\xfd7zXZ\0", "xz data", "bash: xzcat FILE | head"),
    (b"\x28\xb5\x2f\xfd", "Zstandard data", "bash: zstdcat FILE | head"),
    (b"\x7fELF", "ELF program or library", "bash: file FILE"),
    (b"MZ", "Windows program", "bash: file FILE"),
    (b"\xca\xfe\xba\xbe", "Java class or macOS program", "bash: file FILE"),
    (b"wOF", "web font", ""),
    (b"OggS", "Ogg media", ""),
    (b"ID3", "MP3 audio", ""),
    (b"RIFF", "RIFF media", ""),
)


@dataclass(frozen=True, slots=True)
class ImageKind:
    """A picture. width, height: pixels, 0 when the header does not say."""

    media_type: str
    width: int
    height: int


def image_kind(data: bytes) -> ImageKind | None:
    """The kind of a picture that models can be shown (PNG, JPEG, GIF, WebP), else None.

    data: the whole file, or its first 64 KB.
    """
    if data.startswith(b"\x89PNG\r\n\x1a\n") and len(data) >= 24:
        width, height = struct.unpack(">II", data[16:24])
        return ImageKind("image/png", width, height)
    if data[:6] in (b"GIF87a", b"GIF89a") and len(data) >= 10:
        width, height = struct.unpack("<HH", data[6:10])
        return ImageKind("image/gif", width, height)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return ImageKind("image/webp", *_webp_size(data))
    if data.startswith(b"\xff\xd8\xff"):
        return ImageKind("image/jpeg", *_jpeg_size(data))
    return None


def binary_kind(data: bytes) -> tuple[str, str] | None:
    """(what it is, how to look into it) of a known binary format, else None."""
    for magic, words, hint in _MAGIC:
        if data.startswith(magic) and (len(magic) > 3 or b"\0" in data[:512]):
            return words, hint
    return None


def _webp_size(data: bytes) -> tuple[int, int]:
    chunk = data[12:16]
    if chunk == b"VP8X" and len(data) >= 30:
        width = int.from_bytes(data[24:27], "little") + 1
        return width, int.from_bytes(data[27:30], "little") + 1
    if chunk == b"VP8 " and len(data) >= 30:
        width, height = struct.unpack("<HH", data[26:30])
        return width & 0x3FFF, height & 0x3FFF
    if chunk == b"VP8L" and len(data) >= 25:
        bits = int.from_bytes(data[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    return 0, 0


def _jpeg_size(data: bytes) -> tuple[int, int]:
    """Read from the first frame header among the segments."""
    position = 2
    while position + 9 <= len(data) and data[position] == 0xFF:
        marker = data[position + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[position + 5 : position + 9])
            return width, height
        position += 2 + int.from_bytes(data[position + 2 : position + 4], "big")
    return 0, 0

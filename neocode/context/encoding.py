"""tiktoken without a network: the rank files that litellm's wheel carries."""

import hashlib
import importlib.util
import os
import re
from functools import cache
from pathlib import Path
from typing import Protocol

O200K = "o200k_base"
CL100K = "cl100k_base"

# encoding -> (file name in tiktoken's cache, SHA-256 of the ranks). The check is ours: on a
# mismatch tiktoken itself would delete the file and go to the network.
_RANKS = {
    O200K: (
        "fb374d419588a4632f3f557e76b4b70aebbca790",
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    ),
    CL100K: (
        "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
}
_OTHER_FAMILIES = re.compile(r"claude|anthropic|gemini|deepseek|mistral|llama|command|gpt-4-|gpt-3")
_CACHE = "TIKTOKEN_CACHE_DIR"
_PIECE = 512
# tiktoken's time grows with the square of a word's length: no word longer than a piece
_LONG_RUN = re.compile(rf"\w{{{_PIECE},}}|\s{{{_PIECE},}}|[^\w\s]{{{_PIECE},}}")


class Encoding(Protocol):
    """What is needed of a tiktoken encoding."""

    def encode_ordinary(self, text: str) -> list[int]:
        """The token numbers of a text; special tokens are plain text."""
        ...


@cache
def encoding_for(model_id: str) -> str:
    """The encoding that comes nearest: o200k for OpenAI's and unknown models, else cl100k."""
    return CL100K if _OTHER_FAMILIES.search(model_id.lower()) else O200K


def load_encoding(name: str) -> Encoding | None:
    """The encoding with its ranks (about 0.4 s), or None where its ranks are not on disk."""
    folder = _folder(name)
    if folder is None:
        return None
    # It stays set: litellm, loading in another thread, sets the same folder when it is imported.
    os.environ[_CACHE] = str(folder)
    try:
        import tiktoken

        return tiktoken.get_encoding(name)
    except (ImportError, OSError, ValueError):
        return None


def count_encoded(encoding: Encoding, text: str) -> int:
    """Tokens of a text. A run of one class of characters is cut into bounded pieces."""
    total = done = 0
    for run in _LONG_RUN.finditer(text):
        total += len(encoding.encode_ordinary(text[done : run.start()]))
        for start in range(run.start(), run.end(), _PIECE):
            total += len(encoding.encode_ordinary(text[start : min(start + _PIECE, run.end())]))
        done = run.end()
    return total + len(encoding.encode_ordinary(text[done:] if done else text))


def _folder(name: str) -> Path | None:
    file_name, digest = _RANKS[name]
    for folder in _candidates():
        file = folder / file_name
        if file.is_file() and hashlib.sha256(file.read_bytes()).hexdigest() == digest:
            return folder
    return None


def _candidates() -> list[Path]:
    """The user's own cache first, then litellm's folder, found without importing it."""
    found = [Path(os.environ[_CACHE])] if os.environ.get(_CACHE) else []
    spec = importlib.util.find_spec("litellm")
    for root in (spec.submodule_search_locations or []) if spec else []:
        found.append(Path(root) / "litellm_core_utils" / "tokenizers")
    return found

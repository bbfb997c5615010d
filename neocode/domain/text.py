"""Text that every part may hold: Unicode that can be written as UTF-8."""


def clean(text: str) -> str:
    """The text with half surrogates joined or replaced: UTF-8 has no place for them.

    They come from bytes that are no UTF-8 (a pipe, an argument, a file's name), and one of
    them in a message would make every later request of its session impossible.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text

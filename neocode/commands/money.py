"""Prices in words."""


def usd(price: object) -> str:
    """$0.0123, or "?" for a price that is not known: never a guessed zero."""
    return f"${price:.4f}" if isinstance(price, int | float) else "?"

"""Moments as people say them."""

from datetime import UTC, datetime


def ago(stamp: str, now: datetime) -> str:
    """ "just now", "12 min ago", "3 h ago", "yesterday", then the local date.

    stamp: RFC 3339; now: aware. What cannot be read comes back as it is.
    """
    try:
        then = datetime.fromisoformat(stamp)
    except ValueError:
        return stamp
    if then.tzinfo is None:
        then = then.replace(tzinfo=UTC)
    seconds = (now - then).total_seconds()
    if seconds < 60:
        return "just now"
    if seconds < 3600:
        return f"{int(seconds / 60)} min ago"
    if seconds < 86_400:
        return f"{int(seconds / 3600)} h ago"
    days = (now.astimezone().date() - then.astimezone().date()).days
    return "yesterday" if days == 1 else then.astimezone().strftime("%Y-%m-%d")

"""What the strictest providers refuse in a request; pure."""

import json
from typing import Any


def complaint(body: dict[str, Any], *, anthropic: bool) -> str:
    """The first fault of a request, "" when there is none."""
    messages = body.get("messages") or []
    return _anthropic(body, messages) if anthropic else _openai(messages)


def _openai(messages: list[dict[str, Any]]) -> str:
    rest = messages[1:] if messages and messages[0]["role"] == "system" else messages
    if not rest or rest[0]["role"] != "user":
        return "the first message must be the user's"
    waiting: list[str] = []
    for number, message in enumerate(rest):
        role = message["role"]
        if waiting and role != "tool":
            return f"messages.{number}: calls without results: {waiting}"
        if role == "tool":
            if message.get("tool_call_id") not in waiting:
                return f"messages.{number}: result without a call"
            waiting.remove(message["tool_call_id"])
        elif role == "assistant":
            calls = message.get("tool_calls") or []
            if not calls and not message.get("content"):
                return f"messages.{number}: empty reply"
            if fault := _calls(calls):
                return f"messages.{number}: {fault}"
            waiting = [call["id"] for call in calls]
        elif role != "user" or not message.get("content"):
            return f"messages.{number}: role {role!r} or no content"
    return f"calls without results: {waiting}" if waiting else ""


def _calls(calls: list[dict[str, Any]]) -> str:
    ids = [call.get("id") for call in calls]
    if len(set(ids)) != len(ids) or not all(ids):
        return "call ids are missing or met twice"
    for call in calls:
        try:
            if not isinstance(json.loads(call["function"]["arguments"]), dict):
                return "arguments are no object"
        except ValueError:
            return "arguments are no JSON"
    return ""


def _anthropic(body: dict[str, Any], messages: list[dict[str, Any]]) -> str:
    if not isinstance(body.get("max_tokens"), int):
        return "max_tokens is required"
    if json.dumps(body).count('"cache_control"') > 4:
        return "too many cache_control blocks"
    if not messages or messages[0]["role"] != "user":
        return "the first message must be the user's"
    waiting: list[str] = []
    for number, message in enumerate(messages):
        if number and message["role"] == messages[number - 1]["role"]:
            return f"messages.{number}: roles must alternate"
        content = message["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if any(p["type"] == "text" and not p["text"].strip() for p in parts) or not parts:
            return f"messages.{number}: text content blocks must be non-empty"
        results = [p["tool_use_id"] for p in parts if p["type"] == "tool_result"]
        if sorted(results) != sorted(waiting):
            return f"messages.{number}: tool_use ids without tool_result blocks, or the reverse"
        waiting = [p["id"] for p in parts if p["type"] == "tool_use"]
    return "calls without results" if waiting else ""

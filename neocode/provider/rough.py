"""A rough size of a request, only to judge a refusal that gives no reason."""

from neocode.provider.base import ModelRequest

BYTES_PER_TOKEN = 4
IMAGE_TOKENS = 1500


def request_share(request: ModelRequest) -> float:
    """Estimated tokens of a request divided by its model's window.

    Takes the builder's estimate where the request carries one.
    """
    tokens = request.estimated_tokens or _rough_tokens(request)
    return tokens / max(1, request.model.window)


def _rough_tokens(request: ModelRequest) -> int:
    texts = [request.system, *(m.content for m in request.messages)]
    texts += [call.arguments for m in request.messages for call in m.tool_calls]
    texts += [t.description + str(t.parameters) for t in request.tools]
    size = sum(len(text.encode("utf-8", "replace")) for text in texts)
    pictures = sum(len(m.images) for m in request.messages)
    return size // BYTES_PER_TOKEN + pictures * IMAGE_TOKENS

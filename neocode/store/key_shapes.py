"""Shapes of keys that can be told by their look alone, as a table."""

import re
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class Shape:
    """One kind of key.

    hint: a text that must occur before the pattern is worth trying.
    pattern: what is masked; a first group, if there is one, stays.
    """

    kind: str
    hint: str
    pattern: re.Pattern[str]


_START = r"(?<![A-Za-z0-9_])"
_END = r"(?![A-Za-z0-9_])"
_TAIL = r"[A-Za-z0-9_-]"


_TABLE: tuple[tuple[str, ...], ...] = (
    ("anthropic key", rf"{_START}sk-ant-{_TAIL}{{16,}}", "sk-ant-"),
    ("openrouter key", rf"{_START}sk-or-(?:v1-)?[A-Za-z0-9]{{24,}}", "sk-or-"),
    ("openai key", rf"{_START}sk-(?:proj|svcacct|admin|None)-{_TAIL}{{20,}}", "sk-"),
    ("api key", rf"{_START}sk-(?:[a-z]{{2,8}}-)?(?=[A-Za-z]*\d)[A-Za-z0-9]{{20,}}", "sk-"),
    (
        "stripe key",
        rf"{_START}(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{{16,}}",
        "k_live_",
        "k_test_",
    ),
    ("webhook secret", rf"{_START}whsec_[A-Za-z0-9+/]{{24,}}", "whsec_"),
    ("google key", rf"{_START}AIza[0-9A-Za-z_-]{{35}}", "AIza"),
    ("google token", rf"{_START}ya29\.{_TAIL}{{20,}}", "ya29."),
    ("google secret", rf"{_START}GOCSPX-{_TAIL}{{20,}}", "GOCSPX-"),
    (
        "github token",
        rf"{_START}gh[pousr]_[A-Za-z0-9]{{20,}}",
        "ghp_",
        "gho_",
        "ghu_",
        "ghs_",
        "ghr_",
    ),
    ("github token", rf"{_START}github_pat_[A-Za-z0-9_]{{22,}}", "github_pat_"),
    ("gitlab token", rf"{_START}gl(?:pat|dt|rt|ptt|soat|cbt|ft|agent)-{_TAIL}{{20,}}", "gl"),
    ("slack token", rf"{_START}xox[abeprs](?:\.xox[bp])?-[A-Za-z0-9-]{{10,}}", "xox"),
    ("slack token", rf"{_START}xapp-\d-[A-Za-z0-9-]{{20,}}", "xapp-"),
    (
        "slack webhook",
        r"(hooks\.slack\.com/(?:services|workflows)/)[A-Za-z0-9/_-]{20,}",
        "hooks.slack.com",
    ),
    (
        "aws key pair",
        rf"{_START}(?:AKIA|ASIA)[A-Z0-9]{{16}}[\s,:;\"'|/]{{1,6}}[A-Za-z0-9/+]{{40}}(?![A-Za-z0-9/+])",
        "AKIA",
        "ASIA",
    ),
    ("aws key", rf"{_START}(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{{16}}{_END}", "IA", "ACCA"),
    (
        "aws secret",
        r"((?i:aws.{0,24}secret.{0,24}?[=:]\s{0,3}\\*[\"']?))[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])",
        "aws",
        "AWS",
    ),
    ("huggingface token", rf"{_START}hf_[A-Za-z0-9]{{30,}}", "hf_"),
    ("npm token", rf"{_START}npm_[A-Za-z0-9]{{36}}{_END}", "npm_"),
    ("pypi token", rf"{_START}pypi-AgE{_TAIL}{{50,}}", "pypi-AgE"),
    ("docker token", rf"{_START}dckr_pat_{_TAIL}{{20,}}", "dckr_pat_"),
    ("groq key", rf"{_START}gsk_[A-Za-z0-9]{{32,}}", "gsk_"),
    ("xai key", rf"{_START}xai-[A-Za-z0-9]{{40,}}", "xai-"),
    ("perplexity key", rf"{_START}pplx-[A-Za-z0-9]{{32,}}", "pplx-"),
    ("nvidia key", rf"{_START}nvapi-{_TAIL}{{40,}}", "nvapi-"),
    ("replicate token", rf"{_START}r8_[A-Za-z0-9]{{32,}}", "r8_"),
    ("tavily key", rf"{_START}tvly-(?:dev-|prod-)?[A-Za-z0-9]{{20,}}", "tvly-"),
    ("digitalocean token", rf"{_START}do[opr]_v1_[a-f0-9]{{64}}", "_v1_"),
    ("sendgrid key", rf"{_START}SG\.{_TAIL}{{20,}}\.{_TAIL}{{20,}}", "SG."),
    ("mailgun key", rf"{_START}key-[0-9a-f]{{32}}{_END}", "key-"),
    ("shopify token", rf"{_START}shp(?:at|ca|pa|ss)_[a-fA-F0-9]{{32}}", "shp"),
    ("linear key", rf"{_START}lin_(?:api|oauth)_[A-Za-z0-9]{{32,}}", "lin_"),
    ("notion token", rf"{_START}ntn_[A-Za-z0-9]{{40,}}", "ntn_"),
    ("figma token", rf"{_START}figd_{_TAIL}{{36,}}", "figd_"),
    ("sentry token", rf"{_START}sntry[su]_[A-Za-z0-9+/=_-]{{40,}}", "sntry"),
    ("grafana token", rf"{_START}gl(?:sa|c)_[A-Za-z0-9+/=_]{{32,}}", "glsa_", "glc_"),
    ("vault token", rf"{_START}hv[sbr]\.{_TAIL}{{24,}}", "hvs.", "hvb.", "hvr."),
    ("tailscale key", rf"{_START}tskey-[a-z]+-{_TAIL}{{16,}}", "tskey-"),
    ("telegram token", rf"{_START}\d{{8,10}}:AA[A-Za-z0-9_-]{{33}}{_END}", ":AA"),
    ("age key", rf"{_START}AGE-SECRET-KEY-1[A-Z0-9]{{40,}}", "AGE-SECRET-KEY-1"),
    ("azure key", r"(AccountKey=)[A-Za-z0-9+/]{40,}={0,2}", "AccountKey="),
    (
        "json web token",
        rf"{_START}eyJ{_TAIL}{{8,4000}}\.eyJ{_TAIL}{{8,8000}}\.{_TAIL}{{8,2000}}",
        "eyJ",
    ),
)
"""kind, pattern, hints of which one must occur."""


@cache
def shapes() -> tuple[Shape, ...]:
    """The table, compiled at first use: it takes 7 ms at start."""
    return tuple(
        Shape(kind, hint, re.compile(pattern)) for kind, pattern, *hints in _TABLE for hint in hints
    )

"""B47: keys are masked on the way to disk, and nothing else is."""

import base64
import hashlib
import json
import random
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neocode.store.masking import mask, mask_json

LOWER = string.ascii_lowercase + string.digits
UPPER = string.ascii_uppercase + string.digits
MIXED = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
_drawn = random.Random(47)


def draw(count: int, alphabet: str = MIXED) -> str:
    """A made-up key part; the digit makes sure that it looks drawn."""
    return "".join(_drawn.choice(alphabet) for _ in range(count - 2)) + "x7"


def drawn_upper(count: int) -> str:
    return draw(count, UPPER).upper()


B64URL = MIXED + "-_"
PEM_BODY = "\n".join(draw(64) for _ in range(4))


def pem(kind: str) -> str:
    return f"-----BEGIN {kind}-----\n{PEM_BODY}\n-----END {kind}-----"


# (text, the part that must be gone)
SECRETS = [
    *(
        (f"key is {key} ok", key)
        for key in (
            "sk-ant-api03-" + draw(93, B64URL),
            "sk-ant-" + "admin01-" + draw(40, B64URL),
            "sk-or-v1-" + draw(64, HEX),
            "sk-proj-" + draw(120, B64URL),
            "sk-svcacct-" + draw(80, B64URL),
            "sk-" + draw(48),
            "sk-" + draw(32, HEX),
            "sk-" + "lf-" + draw(36),
            "AIza" + draw(35, B64URL),
            "ya29." + draw(60, B64URL),
            "GOCSPX-" + draw(28, B64URL),
            "ghp_" + draw(36),
            "gho_" + draw(36),
            "ghs_" + draw(36),
            "github_pat_" + draw(22) + "_" + draw(59),
            "glpat-" + draw(20, B64URL),
            "glrt-" + draw(20, B64URL),
            "xoxb-" + "123456789012-1234567890123-" + draw(24),
            "xoxp-" + "123456789012-" + draw(32, HEX),
            "xapp-1-A0123456789-" + draw(40, HEX),
            "AKIA" + drawn_upper(16),
            "ASIA" + drawn_upper(16),
            "hf_" + draw(34),
            "npm_" + draw(36),
            "pypi-AgEIcHlwaS5vcmc" + draw(80, B64URL),
            "dckr_pat_" + draw(27, B64URL),
            "gsk_" + draw(52),
            "xai-" + draw(80),
            "pplx-" + draw(48),
            "nvapi-" + draw(64, B64URL),
            "r8_" + draw(37),
            "tvly-dev-" + draw(32),
            "dop_v1_" + "ab12" * 16,
            "SG." + draw(22, B64URL) + "." + draw(43, B64URL),
            "key-" + "0a1b" * 8,
            "shpat_" + "0a1b" * 8,
            "lin_api_" + draw(40),
            "ntn_" + draw(46),
            "figd_" + draw(40, B64URL),
            "sntrys_" + draw(60),
            "glsa_" + draw(32) + "_" + draw(8, HEX),
            "hvs." + draw(24, B64URL),
            "tskey-auth-" + draw(20, B64URL),
            "123456789:AA" + draw(33, B64URL),
            "AGE-SECRET-KEY-1" + drawn_upper(58),
            "sk_live_" + draw(24),
            "rk_test_" + draw(24),
            "whsec_" + draw(32),
            "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0." + draw(43, B64URL),
        )
    ),
    *(
        (f"before\n{pem(kind)}\nafter", PEM_BODY)
        for kind in (
            "RSA PRIVATE KEY",
            "PRIVATE KEY",
            "OPENSSH PRIVATE KEY",
            "EC PRIVATE KEY",
            "ENCRYPTED PRIVATE KEY",
            "PGP PRIVATE KEY BLOCK",
        )
    ),
    (pem("PRIVATE KEY").replace("\n", "\\n"), PEM_BODY[:64]),
    (f"cut off: -----BEGIN PRIVATE KEY-----\n{PEM_BODY}", PEM_BODY),
    *(
        (template.format(secret), secret)
        for template, secret in (
            ("AKIA" + drawn_upper(16) + ",{}", draw(38) + "/+"),
            ("aws_secret_access_key = {}", draw(40)),
            ("AWS_SECRET_ACCESS_KEY={}", draw(36) + "/x+1"),
            ('{{"awsSecretKey": "{}"}}', draw(40)),
            ("https://hooks.slack.com/services/{}", "T01234567/B01234567/" + draw(24)),
            ("AccountName=x;AccountKey={};", draw(86) + "=="),
            ("Authorization: Bearer {}", draw(40)),
            ("authorization: Basic {}", base64.b64encode(b"aladdin:open7sesame").decode()),
            ("curl -H 'Authorization: token {}' https://x", draw(40, HEX)),
            ('-H "x-api-key: {}"', draw(32)),
            ('{{"Authorization": "Bearer {}"}}', draw(64, B64URL)),
            ("PRIVATE-TOKEN: {}", draw(20)),
            ("sent bearer {} to it", draw(40)),
            ("postgres://app:{}@db.internal:5432/prod", "s3cr3t-w0rd"),
            ("redis://:{}@cache:6379/0", "hunter2hunter2"),
            ("https://oauth2:{}@git.example.org/x.git", draw(26)),
            ("mongodb+srv://me:{}@cluster0.mongodb.net", "p%40ssw0rd"),
            ("OPENAI_API_KEY={}", draw(40)),
            ("export MY_SERVICE_TOKEN='{}'", draw(24)),
            ('api_key: "{}"', draw(32, HEX)),
            ('"client_secret": "{}",', draw(24, B64URL)),
            ('\\"apiKey\\": \\"{}\\"', draw(30)),
            ("DJANGO_SECRET_KEY = '{}'", draw(50)),
            ("NPM_TOKEN_PROD={}", draw(36, LOWER)),
            ("DB_PASSWORD={}", "Tr0ub4dor&3"),
            ("password: {}", "hunter22"),
            ("passphrase := {}", draw(20)),
            ("access_key={}", drawn_upper(20)),
            ("TOKEN=550e8400-{}", "e29b-41d4-a716-446655440000"),
        )
    ),
]

SHA1 = hashlib.sha1(b"x").hexdigest()
SHA256 = hashlib.sha256(b"x").hexdigest()
SHA512 = hashlib.sha512(b"x").hexdigest()
PICTURE = base64.b64encode(random.Random(1).randbytes(3000)).decode()

HARMLESS = [
    f"commit {SHA1}",
    f"{SHA1[:7]} fix the token parser",
    f"index {SHA1[:7]}..{SHA1[7:14]} 100644",
    f"sha256:{SHA256}",
    f"{SHA256}  dist/neocode.whl",
    f"--hash=sha256:{SHA256}",
    f"sha512-{base64.b64encode(hashlib.sha512(b'x').digest()).decode()}",
    f'"integrity": "sha512-{base64.b64encode(hashlib.sha512(b"y").digest()).decode()}"',
    f'checksum = "{SHA512}"',
    f'ETag: "{hashlib.md5(b"x").hexdigest()}"',
    f"docker.io/library/python@sha256:{SHA256}",
    "id 550e8400-e29b-41d4-a716-446655440000",
    "session s_1f3a9c0b7d2e, message m_000000000017",
    "toolu_01Fg9uqMqyg64NG5FirXBTyY",
    "call_abc123DEF456ghi789JKL012",
    "chatcmpl-9xY8z7A6b5C4d3E2f1G0h9I8j7K6l",
    "req_011CSHoEeqs5C35K2UUqR7Fy",
    f"data:image/png;base64,{PICTURE}",
    PICTURE,
    f"token_sha256={SHA256}",
    f"secret_hash: {SHA256}",
    "api_key_id=AB12CD34EF56GH78",
    "max_tokens: 4096",
    "input_tokens=1637766",
    '"cached_tokens": 123456789012',
    "token_count=12345678901234",
    "token_limit: 128000tokens00",
    "tokenizer: o200k_base",
    "token = get_token(request)",
    "token = self.lexer.next_token2()",
    "secret = os.environ['MY_SECRET_1']",
    "api_key = os.getenv('OPENAI_API_KEY')",
    "api_key = config.models[0].api_key",
    "api_key_env: ANTHROPIC_API_KEY",
    "api_key: ${OPENAI_API_KEY}",
    "OPENAI_API_KEY=your-api-key-here-123",
    "API_KEY=<paste it here>",
    "API_KEY=xxxxxxxxxxxxxxxx1234",
    "API_KEY=changeme1234567",
    "token: example-token-123456",
    "api_key: none",
    "password: string",
    "password=s3cret",
    "password: str = Field(min_length=12)",
    "password = getpass.getpass()",
    "if password != other_password:",
    "secret: bool = False",
    "passwd:x:1000:1000::/home/me:/bin/bash",
    "private_key=/etc/ssl/private/key1.pem",
    "token_path: ~/.config/gh/token1",
    "credentials: ./secrets/service-account-1.json",
    "Authorization: Bearer $TOKEN",
    "Authorization: Bearer <your token>",
    "Authorization: Bearer {token}",
    'headers = {"Authorization": f"Bearer {api_key}"}',
    "the bearer of this letter",
    "x-api-key: YOUR_API_KEY",
    "http://127.0.0.1:8080/v1/models@latest",
    "https://user:${PASSWORD}@host/x",
    "https://user:***@host/x",
    "ssh://git@github.com:22/x/y.git",
    "git@github.com:owner/repo.git",
    "mailto:someone@example.com",
    "npm_config_registry and npm_package_version",
    "hf_hub_download(repo_id)",
    "sk-learn and sk-image are not keys",
    "task-management-with-very-long-hyphenated-name-1",
    "risk-assessment-of-the-2024-quarterly-report",
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----",
    "-----BEGIN CERTIFICATE-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END CERTIFICATE-----",
    f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{draw(43)} me@host",
    "SG. and hvs. and AIza are beginnings",
    "eyJ is how base64 of a JSON object begins",
    "glob-pattern-matching-library-version-2",
    "the secret of success: perseverance",
    "Password: must have 8 characters",
    "key = cache_key_v2(session_id)",
    "primary_key=session_id, message_id",
    "keyboard: qwerty12345",
    "model: claude-sonnet-4-5-20250929",
    "token: cl100k_base",
    "下一步：检查 token 数量 12345",
]


@pytest.mark.parametrize(("text", "secret"), SECRETS, ids=[s[0][:24] for s in SECRETS])
def test_a_key_is_masked(text: str, secret: str) -> None:
    masked = mask(text)
    assert secret not in masked
    assert "[masked " in masked
    assert mask(masked) == masked


@pytest.mark.parametrize("text", HARMLESS, ids=[h[:24] for h in HARMLESS])
def test_what_is_no_key_is_left_alone(text: str) -> None:
    assert mask(text) == text


def test_the_corpus_is_large_enough() -> None:
    assert len(SECRETS) >= 60
    assert len(HARMLESS) >= 60


def test_what_stands_around_a_key_stays() -> None:
    assert mask(f"a ghp_{'a1' * 18}, b") == "a [masked github token], b"
    assert mask("postgres://app:s3cr3t9@db/x") == "postgres://app:[masked password]@db/x"


def test_masked_json_text_is_still_json() -> None:
    arguments = json.dumps({"command": f'curl -H "Authorization: Bearer {draw(40)}"'})
    masked = mask(arguments)
    assert "[masked credential]" in json.loads(masked)["command"]


def test_the_values_of_configured_keys_are_masked_in_any_shape() -> None:
    assert mask("my key: quite plain words", ["plain words"]) == "my key: quite [masked key]"
    assert mask('{"k": "a\\"bcdefg"}', ['a"bcdefg']) == '{"k": "[masked key]"}'
    assert mask("nothing is none", ["none", ""]) == "nothing is none"


def test_json_values_are_masked_inside() -> None:
    key = "hf_" + "aB3" * 12
    assert mask_json({"a": [key, 1, None], "b": {"c": key}}) == {
        "a": ["[masked huggingface token]", 1, None],
        "b": {"c": "[masked huggingface token]"},
    }


@given(st.text(max_size=100))
@settings(max_examples=50, deadline=None)
def test_any_text_is_masked_once(text: str) -> None:
    assert mask(mask(text)) == mask(text)


def test_a_long_text_without_breaks_is_no_trap() -> None:
    for text in (PICTURE * 100, "token-" * 60_000, "a:" * 200_000, "://a" * 100_000):
        assert len(mask(text)) > 0

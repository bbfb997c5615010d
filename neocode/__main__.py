"""The command `neocode`, and `python -m neocode`."""

import sys


def main() -> None:
    """Run the command line; --version imports nothing else."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from neocode import __version__

        print(f"neocode {__version__}")
        return
    from neocode.cli.main import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()

"""The command `neocode`, and `python -m neocode`."""

import sys


def main() -> None:
    """Run the command line; --version imports nothing else."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from neocode import __version__

        print(f"neocode {__version__}")
        return
    try:
        from neocode.cli.main import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # before run could see it: while it was being imported
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()

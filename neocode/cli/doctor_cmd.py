"""`neocode doctor`: is everything there, and how to mend what is not."""

import argparse
import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from neocode.config.paths import resolve_paths
from neocode.runtime.doctor import Finding, Patient, examine, findings_text


def add_parser(commands: Any) -> None:
    """Register `doctor`."""
    parser = commands.add_parser("doctor", help="check the installation")
    parser.add_argument("--output", choices=("text", "json", "jsonl"), default="text")
    parser.set_defaults(handler=handle)


def handle(args: argparse.Namespace) -> int:
    """Print the findings; exit status 1 when something needs mending."""
    findings: Sequence[Finding] = list(examine(_patient()))
    if args.output == "json":
        print(json.dumps([asdict(finding) for finding in findings], ensure_ascii=False))
    elif args.output == "jsonl":
        for finding in findings:
            print(json.dumps(asdict(finding), ensure_ascii=False))
    else:
        print(findings_text(findings))
    return 0 if all(finding.ok for finding in findings) else 1


def _patient() -> Patient:
    """This user's installation, in the current folder."""

    def configuration() -> Path:
        from neocode.wiring import load_settings

        return load_settings(Path.cwd())[1].config_file

    def models() -> list[str]:
        from neocode.wiring import load_settings, usable_models

        loaded, paths = load_settings(Path.cwd())
        return [model.name for model in usable_models(loaded.config, paths)]

    return Patient(
        environ=os.environ,
        database=resolve_paths(os.environ).db,
        configuration=configuration,
        models=models,
    )

"""Checks in the tools that they are written for: what each says of tables as they were, and of five faults.

    python tests/benchmarks/checks.py [--pandera PYTHON] [--dbt DBT] [--datacontract DATACONTRACT]

PYTHON: an interpreter with pandera. DBT: the program of dbt with dbt-duckdb (below 2.0, which is downloaded from
elsewhere). DATACONTRACT: the program of datacontract-cli with duckdb. Each in an environment of its own.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "join"))
import test_check as known

PANDERA = """
import sys
import pandas as pd
from pandera.errors import SchemaErrors
scope = {}
exec(open(sys.argv[1]).read(), scope)
left, right = (pd.read_csv(f"{sys.argv[2]}/{name}.csv") for name in ("visits", "wards"))
try:
    scope["check"](left, right, left.merge(right, on="ward", how="left"))
except SchemaErrors as error:
    print(error.failure_cases["check"].tolist())
    sys.exit(1)
"""


def fails(tool: str, program: str, work: Path, folder: Path) -> bool:
    """Whether the tool says that something is amiss."""
    text = known.plan_of().check(tool)
    if tool == "pandera":
        (work / "check.py").write_text(text)
        command = [program, "-c", PANDERA, str(work / "check.py"), str(folder)]
    elif tool == "dbt":
        for part in ("models", "tests"):
            (work / part).mkdir(exist_ok=True)
        for name in ("visits", "wards"):
            path = work / "models" / f"{name}.sql"
            path.write_text(f"select * from read_csv('{folder}/{name}.csv', header=true)")
        (work / "tests" / "joined.sql").write_text(text)
        (work / "dbt_project.yml").write_text('name: checks\nversion: "1.0"\nprofile: checks\n')
        output = f"{{type: duckdb, path: {work}/base.duckdb}}"
        (work / "profiles.yml").write_text(f"checks:\n  target: dev\n  outputs:\n    dev: {output}\n")
        command = [program, "build", "--project-dir", str(work), "--profiles-dir", str(work)]
    else:
        contract = json.loads(text)
        contract["servers"] = {"here": {"type": "local", "path": f"{folder}/{{model}}.csv", "format": "csv"}}
        (work / "contract.yaml").write_text(json.dumps(contract))
        command = [program, "test", str(work / "contract.yaml"), "--server", "here"]
    return subprocess.run(command, capture_output=True, cwd=work).returncode != 0


def main() -> None:
    parser = argparse.ArgumentParser()
    for tool in known.RUN:
        parser.add_argument(f"--{tool}", default="")
    programs = {tool: program for tool, program in vars(parser.parse_args()).items() if program}
    with tempfile.TemporaryDirectory() as made:
        for fault, frames in {"as it was": (known.VISITS, known.WARDS), **known.FAULTS}.items():
            folder = Path(made) / fault.replace(" ", "_")
            folder.mkdir()
            for frame, name in zip(frames, ("visits", "wards"), strict=True):
                frame.to_csv(folder / f"{name}.csv", index=False)
            for tool, program in programs.items():
                work = Path(made) / tool
                work.mkdir(exist_ok=True)
                print(f"{tool}: {fault}:", "amiss" if fails(tool, program, work, folder) else "fine", flush=True)


if __name__ == "__main__":
    main()

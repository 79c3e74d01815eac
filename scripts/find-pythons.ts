import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

export interface Python {
  readonly path: string;
  /** For example, 3.8. */
  readonly version: string;
  readonly minor: number;
}

const FIRST_MINOR = 8;
const LAST_MINOR = 30;
const ASK = "import sys, venv; print(sys.implementation.name, *sys.version_info[:2])";

/** Finds CPythons from 3.8 on the PATH or installed by pyenv: one of each version, oldest first. */
export function findPythons(): readonly Python[] {
  const found = new Map<number, Python>();
  for (const path of candidates()) {
    const { stdout, status } = spawnSync(path, ["-c", ASK], { encoding: "utf8" });
    const [name, major, minor] = status === 0 ? stdout.trim().split(" ") : [];
    const isSupported = name === "cpython" && major === "3" && Number(minor) >= FIRST_MINOR;
    if (!isSupported || found.has(Number(minor))) continue;
    found.set(Number(minor), { path, version: `3.${minor}`, minor: Number(minor) });
  }
  return [...found.values()].sort((a, b) => a.minor - b.minor);
}

function candidates(): readonly string[] {
  const versions = join(process.env.PYENV_ROOT ?? join(homedir(), ".pyenv"), "versions");
  const installed = existsSync(versions) ? readdirSync(versions) : [];
  const minors = Array.from({ length: LAST_MINOR - FIRST_MINOR + 1 }, (_, index) => FIRST_MINOR + index);
  return [
    ...installed.map((version) => join(versions, version, "bin/python3")),
    ...minors.map((minor) => `python3.${minor}`),
    "python3",
  ];
}

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Tells the person who started the program what is wrong and how to fix it. */
export class VenvError extends Error {
  override readonly name = "VenvError";
}

export interface VenvPlan {
  /** The interpreter of the environment. */
  readonly python: string;
  /** A file of pinned requirements. */
  readonly requirements: string;
  readonly folder: string;
}

/**
 * Creates a Python environment with the file's requirements, and recreates it only when that file changes. Returns
 * the folder of its programs. Throws a `VenvError`.
 */
export async function installVenv({ python, requirements, folder }: VenvPlan): Promise<string> {
  const programs = join(folder, "bin");
  const stamp = join(folder, "installed");
  const pinned = createHash("sha256").update(readFileSync(requirements)).digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === pinned) return programs;
  console.error(`Installing ${requirements} for ${python}; this takes about a minute the first time …`);
  const remedy = "Python with venv is needed (Debian: python3-venv).";
  // Installing a separate pip costs 5 s of CPU.
  const sharesPip = await succeeds(python, ["-m", "pip", "--python", python, "--version"]);
  const environment = ["-m", "venv", "--clear", ...(sharesPip ? ["--without-pip"] : []), folder];
  await runOrExplain(python, environment, remedy);
  const interpreter = join(programs, "python");
  const [program, pip] = sharesPip
    ? [python, ["-m", "pip", "--python", interpreter]]
    : [interpreter, ["-m", "pip"]];
  // Python compiles modules on first use, which is less than half of what is installed.
  const install = ["install", "--quiet", "--no-compile", "--disable-pip-version-check", "-r", requirements];
  await runOrExplain(program, [...pip, ...install], `pip could not install ${requirements}: see above.`);
  writeFileSync(stamp, pinned);
  return programs;
}

async function succeeds(command: string, args: readonly string[]): Promise<boolean> {
  const [status] = await once(spawn(command, args, { stdio: "ignore" }), "exit").catch(() => [null]);
  return status === 0;
}

async function runOrExplain(command: string, args: readonly string[], remedy: string): Promise<void> {
  const child = spawn(command, args, { stdio: ["ignore", 2, 2] });
  const [status] = await once(child, "exit").catch(() => [null]);
  if (status !== 0) throw new VenvError(remedy);
}

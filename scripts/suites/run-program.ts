import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

interface ProgramOptions {
  readonly args: readonly string[];
  readonly cwd: string;
  /** Added to this process's. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Runs a program to its end and answers whether it succeeded. What it prints comes in one piece under the title, since
 * several run at once.
 */
export async function runProgram(
  title: string,
  command: string,
  { args, cwd, env }: ProgramOptions,
): Promise<boolean> {
  // One pipe for both, so that what was printed keeps its order.
  const child = spawn("sh", ["-c", 'exec "$@" 2>&1', "sh", command, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output, [status]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  console.log(`\n— ${title}\n${output}`);
  return status === 0;
}

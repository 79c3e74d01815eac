import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

interface ProgramOptions {
  readonly args: readonly string[];
  readonly cwd: string;
  /** Added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Runs a program to its end and returns whether it succeeded. Its output is printed in one piece under the title, because
 * several programs run at once.
 */
export async function runProgram(
  title: string,
  command: string,
  { args, cwd, env }: ProgramOptions,
): Promise<boolean> {
  // One pipe for stdout and stderr, so that the output keeps its order.
  const child = spawn("sh", ["-c", 'exec "$@" 2>&1', "sh", command, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output, [status]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  console.log(`\n— ${title}\n${output}`);
  return status === 0;
}

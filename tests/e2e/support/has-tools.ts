import { spawnSync } from "node:child_process";

/** Whether the programs are on this machine; prints what does not run when one is missing. */
export function hasTools(what: string, tools: readonly string[]): boolean {
  const missing = tools.filter((tool) => spawnSync(tool, ["--version"]).status !== 0);
  if (missing.length > 0) console.error(`NOT RUN: ${what}. There is no ${missing.join(", ")}.`);
  return missing.length === 0;
}

import { spawnSync } from "node:child_process";

/** Says what this machine lacks to build the Java client, or null when it has all. */
export function missingJavaTools(): string | null {
  const missing = ["javac", "mvn"].filter((tool) => spawnSync(tool, ["-version"]).status !== 0);
  return missing.length === 0
    ? null
    : `It needs a JDK from 17 on and Maven; there is no ${missing.join(", ")}.`;
}

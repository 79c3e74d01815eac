import { spawnSync } from "node:child_process";

/** Says which tools for building the Java client this machine lacks; null when it has them all. */
export function missingJavaTools(): string | null {
  const missing = ["javac", "mvn"].filter((tool) => spawnSync(tool, ["-version"]).status !== 0);
  return missing.length === 0 ? null : `It needs JDK 17 or later and Maven; missing: ${missing.join(", ")}.`;
}

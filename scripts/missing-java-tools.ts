import { spawnSync } from "node:child_process";

/**
 * Returns a message about what this machine lacks to build the Java client, or null when it lacks nothing.
 */
export function missingJavaTools(): string | null {
  const missing = ["javac", "mvn"].filter((tool) => spawnSync(tool, ["-version"]).status !== 0);
  return missing.length === 0 ? null : `It needs JDK 17 or later and Maven; missing: ${missing.join(", ")}.`;
}

import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { missingJavaTools } from "./missing-java-tools.ts";

const CLIENT = resolve(import.meta.dirname, "../clients/java");

/**
 * Writes the Java client as published, with its sources, Javadoc and POM, into an emptied folder. Returns false, after
 * a line that says why, on a machine without the tools; throws when the build fails.
 */
export function buildJava(folder: string): boolean {
  const missing = missingJavaTools();
  if (missing !== null) {
    console.error(`NOT BUILT: clients/java. ${missing}`);
    return false;
  }
  // In a separate build folder, so that leftovers of an earlier build do not get into the jars.
  const target = mkdtempSync(join(tmpdir(), "assay-java-"));
  try {
    const args = ["-B", "-q", "-ntp", "package", "-Dmaven.test.skip=true", `-DbuildDirectory=${target}`];
    const { status } = spawnSync("mvn", args, { cwd: CLIENT, stdio: "inherit" });
    if (status !== 0) throw new Error("Maven could not build clients/java: see above.");
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for (const name of readdirSync(target).filter((name) => name.endsWith(".jar"))) {
      copyFileSync(join(target, name), join(folder, name));
    }
    // Named like the jar, as Maven repositories require.
    const jar = readdirSync(folder).sort()[0]!;
    copyFileSync(join(CLIENT, "pom.xml"), join(folder, jar.replace(/(-javadoc|-sources)?\.jar$/, ".pom")));
  } finally {
    rmSync(target, { recursive: true, force: true });
  }
  return true;
}

import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { missingJavaTools } from "./missing-java-tools.ts";

const CLIENTS = resolve(import.meta.dirname, "../clients");

/** The Java packages: their folders, which are also Maven's modules, and their artifacts. */
const ARTIFACTS = { java: "assay-client", "java-frameworks": "assay-frameworks" } as const;

/**
 * Writes a Java package with sources, Javadoc and POM, as it is published, into an emptied folder. If signed, adds a signature of
 * each file by the machine's GnuPG key. Without the tools, prints why and returns false. Throws when the build fails.
 */
export function buildJava(folder: string, module: keyof typeof ARTIFACTS, isSigned: boolean): boolean {
  const missing = missingJavaTools();
  if (missing !== null) {
    console.error(`NOT BUILT: clients/${module}. ${missing}`);
    return false;
  }
  // A separate build folder keeps leftovers of an earlier build out of the jars.
  const target = mkdtempSync(join(tmpdir(), "assay-java-"));
  try {
    const modules = ["--projects", module, "--also-make"];
    const directory = `-DbuildDirectory=${target}/\${project.artifactId}`;
    const goals = isSigned ? ["verify", "-Psign"] : ["package"];
    const args = ["-B", "-q", "-ntp", ...goals, ...modules, "-Dmaven.test.skip=true", directory];
    const { status } = spawnSync("mvn", args, { cwd: CLIENTS, stdio: "inherit" });
    if (status !== 0) throw new Error(`Maven could not build clients/${module}: see above.`);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const built = join(target, ARTIFACTS[module]);
    for (const name of readdirSync(built).filter((name) => /\.(jar|asc)$/.test(name))) {
      copyFileSync(join(built, name), join(folder, name));
    }
    // Named like the jar, as Maven repositories require.
    const jar = readdirSync(folder).sort()[0]!;
    copyFileSync(
      join(CLIENTS, module, "pom.xml"),
      join(folder, jar.replace(/(-javadoc|-sources)?\.jar.*$/, ".pom")),
    );
  } finally {
    rmSync(target, { recursive: true, force: true });
  }
  return true;
}

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";

const CLIENTS = resolve(import.meta.dirname, "../clients");

/**
 * Packs the output of `npm run build` in the registries' formats into one emptied folder: npm tarballs, the Python wheel and
 * source distribution, and the Java jars with POM and signatures. Returns the file names. Throws when a package lacks its
 * license.
 */
export function packRelease(folder: string): readonly string[] {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const client of ["typescript", "openfeature", "react"])
    execFileSync("npm", ["pack", "--silent", "--pack-destination", folder], {
      cwd: join(CLIENTS, client, "dist"),
    });
  for (const client of ["python", "java", "java-frameworks"]) {
    const built = join(CLIENTS, client, "dist");
    for (const name of readdirSync(built)) copyFileSync(join(built, name), join(folder, name));
  }
  const names = readdirSync(folder).sort();
  // POMs and signatures are not archives, and a Javadoc jar accompanies another package.
  const packages = names.filter((name) => !/\.(pom|asc)$|-javadoc\.jar$/.test(name));
  const bare = packages.filter((name) => !holdsLicense(join(folder, name)));
  if (bare.length > 0) throw new Error(`No LICENSE in ${bare.join(", ")}.`);
  return names;
}

/** Archives store file names as plain text. Only npm tarballs and Python source distributions are compressed as a whole. */
function holdsLicense(path: string): boolean {
  const bytes = readFileSync(path);
  return (path.endsWith("gz") ? gunzipSync(bytes) : bytes).includes("/LICENSE");
}

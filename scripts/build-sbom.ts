import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "..");
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Writes the software bill of materials as CycloneDX JSON: the locked packages that Assay runs on, without
 * development tools. Throws when npm is older than 10, which cannot create one.
 */
export function buildSbom(file: string): void {
  const args = ["sbom", "--sbom-format", "cyclonedx", "--omit", "dev", "--package-lock-only"];
  const { status, stdout } = spawnSync("npm", args, {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: MAX_BYTES,
    stdio: ["ignore", "pipe", 2],
  });
  if (status !== 0) throw new Error("npm sbom failed: see above. It needs npm 10 or later.");
  const bom = JSON.parse(stdout) as { readonly metadata: { readonly component: object } };
  // npm names the root after its folder.
  Object.assign(bom.metadata.component, { name: "assay" });
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(bom, null, 2)}\n`);
}

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { buildSbom } from "./build-sbom.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-sbom-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Bom {
  readonly bomFormat: string;
  readonly metadata: { readonly component: { readonly name: string } };
  readonly components: readonly { readonly purl: string; readonly licenses?: unknown }[];
}

test("the bill of materials has the runtime packages at the lock file's versions, and no development tools", () => {
  const file = join(folder, "dist", "assay.cdx.json");
  buildSbom(file);
  const bom = JSON.parse(readFileSync(file, "utf8")) as Bom;
  const lock = JSON.parse(readFileSync(join(import.meta.dirname, "../package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, { readonly version: string }>>;
  };
  const urls = bom.components.map(({ purl }) => purl);
  expect([bom.bomFormat, bom.metadata.component.name]).toEqual(["CycloneDX", "assay"]);
  for (const name of ["fastify", "better-sqlite3", "stripe"])
    expect(urls).toContain(`pkg:npm/${name}@${lock.packages[`node_modules/${name}`]?.version}`);
  expect(urls.filter((url) => /npm\/(vitest|typescript|playwright-core)@/.test(url))).toEqual([]);
});

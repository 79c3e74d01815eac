import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundle } from "../scripts/bundle.ts";
import type { Client } from "../src/client.ts";

/** Loads the client as a page does, minified and with what loads later in a file of its own, into this process. */
export async function loadPageClient(): Promise<typeof Client> {
  const folder = mkdtempSync(join(tmpdir(), "assay-page-"));
  process.once("exit", () => rmSync(folder, { recursive: true }));
  const files = await bundle({ entry: "index", runtime: "browser", format: "esm", minify: true });
  for (const [name, text] of files)
    writeFileSync(
      join(folder, name.replace(/\.js$/, ".mjs")),
      text.replaceAll(".browser.js", ".browser.mjs"),
    );
  return (await import(pathToFileURL(join(folder, "index.browser.mjs")).href)).Client;
}

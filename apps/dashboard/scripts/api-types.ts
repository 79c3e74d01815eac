import { createHash } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../../..");
const typesFile = join(import.meta.dirname, "../src/api/schema.d.ts");
/** What the types are made from: the document, by the generator that the lock file pins. */
const INPUTS = ["docs/openapi.json", "package-lock.json", "apps/dashboard/scripts/api-types.ts"];

/** Writes the types of the API from docs/openapi.json, unless what is there was made from the same inputs. */
export async function writeApiTypes(): Promise<void> {
  const hash = createHash("sha256");
  for (const path of INPUTS) hash.update(readFileSync(join(root, path)));
  const head = `// Made from docs/openapi.json, and not in git. Inputs: ${hash.digest("hex")}\n`;
  if (readHead(head.length) === head) return;
  // It loads a whole compiler: only when it has work.
  const { default: openapiTypescript, astToString } = await import("openapi-typescript");
  const document = readFileSync(join(root, "docs/openapi.json"), "utf8");
  const nodes = await openapiTypescript(document, { immutable: true, alphabetize: true });
  // Whole or not at all: `.ci/run` checks types beside the suites, which need the same file.
  const own = `${typesFile}.${process.pid}`;
  writeFileSync(own, head + astToString(nodes));
  renameSync(own, typesFile);
}

function readHead(length: number): string | null {
  try {
    return readFileSync(typesFile, "utf8").slice(0, length);
  } catch {
    return null;
  }
}

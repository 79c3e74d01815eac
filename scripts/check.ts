// Checks formatting, lint, types and generated documents; `--write` mends formatting and documents.
import { spawnSync } from "node:child_process";
import { staleDocuments, writeDocuments } from "./documents.ts";

const isWriting = process.argv.includes("--write");

function run(name: string, command: string, args: readonly string[]): boolean {
  console.log(`— ${name}`);
  return spawnSync(command, args, { stdio: "inherit" }).status === 0;
}

if (isWriting) await writeDocuments();
const stale = await staleDocuments();
if (stale.length > 0) console.error(`Out of date: ${stale.join(", ")}. Run npm run check -- --write.`);
const results = [
  run("formatting and lint", "biome", isWriting ? ["check", "--write", "."] : ["ci", "."]),
  run("types", "tsc", ["-p", "tsconfig.json"]),
  run("types of the dashboard", "tsc", ["-p", "apps/dashboard"]),
  stale.length === 0,
];
process.exit(results.every(Boolean) ? 0 : 1);

// Checks formatting, lint, types and generated files; `--write` fixes formatting and generated files.
import { spawnSync } from "node:child_process";
import { writeApiTypes } from "../apps/dashboard/scripts/api-types.ts";
import { staleDocuments, writeDocuments } from "./documents.ts";

/** Several checkers would each compute the shared types: two cost a third more CPU, and four cost twice as much. */
const ONE_CHECKER = ["--checkers", "1"];

const isWriting = process.argv.includes("--write");

function run(name: string, command: string, args: readonly string[]): boolean {
  console.log(`— ${name}`);
  return spawnSync(command, args, { stdio: "inherit" }).status === 0;
}

if (isWriting) writeDocuments();
const stale = staleDocuments();
if (stale.length > 0) console.error(`Out of date: ${stale.join(", ")}. Run npm run check -- --write.`);
await writeApiTypes();
const results = [
  run("formatting and lint", "biome", isWriting ? ["check", "--write", "."] : ["ci", "."]),
  run("types", "tsc", ["-p", "tsconfig.json", ...ONE_CHECKER]),
  run("types of the dashboard", "tsc", ["-p", "apps/dashboard", ...ONE_CHECKER]),
  run("types of the React package", "tsc", ["-p", "clients/react", ...ONE_CHECKER]),
  stale.length === 0,
];
process.exit(results.every(Boolean) ? 0 : 1);

// Checks formatting, lint, types and generated documents; `--write` fixes formatting and documents.
import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { writeApiTypes } from "../apps/dashboard/scripts/api-types.ts";
import { staleDocuments, writeDocuments } from "./documents.ts";

/** The compiler takes four by default, and each computes for itself the types that all of them meet: twice the CPU on two cores. */
const CHECKERS = ["--checkers", String(Math.min(availableParallelism(), 4))];

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
  run("types", "tsc", ["-p", "tsconfig.json", ...CHECKERS]),
  run("types of the dashboard", "tsc", ["-p", "apps/dashboard", ...CHECKERS]),
  run("types of the React package", "tsc", ["-p", "clients/react", ...CHECKERS]),
  stale.length === 0,
];
process.exit(results.every(Boolean) ? 0 : 1);

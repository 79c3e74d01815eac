// Mutation testing: `npm run mutate` makes small changes to the code of the pure packages and of ingest, and counts the
// changes that no test notices (docs/testing.md). A folder limits it: `npm run mutate -- packages/stats`. `--sample 200`
// runs that many mutants per folder in addition to all mutants of named constants. `--skip 200` leaves out those of an
// earlier sample.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Folder, type FolderMutant, loadFolder, toJobs } from "./load-folder.ts";
import { runLanes } from "./run-lanes.ts";
import { type Killer, openVerdicts } from "./verdicts.ts";

const ROOT = resolve(import.meta.dirname, "../..");
/** The minimum score of each folder. */
const LIMITS: Readonly<Record<string, number>> = {
  "packages/stats": 0.9,
  "packages/pipeline": 0.85,
  "packages/domain": 0.9,
  "apps/server/src/ingest": 0.85,
};

/** A reviewed change that no test can notice, with the reason. */
interface Equivalent {
  readonly path: string;
  /** The line of the source, trimmed. */
  readonly code: string;
  readonly change: string;
  readonly reason: string;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: "string" },
    skip: { type: "string", default: "0" },
    lanes: { type: "string", default: "2" },
  },
});
const sample = values.sample === undefined ? Number.POSITIVE_INFINITY : Number(values.sample);
const skip = Number(values.skip);
const lanes = Number(values.lanes);
if (
  positionals.some((folder) => LIMITS[folder] === undefined) ||
  !(sample > 0) ||
  !(skip >= 0) ||
  !(lanes > 0)
) {
  console.error(
    `npm run mutate -- [--sample N] [--skip N] [--lanes N] [${Object.keys(LIMITS).join(" | ")}] …`,
  );
  process.exit(2);
}

const equivalents: readonly Equivalent[] = JSON.parse(
  readFileSync(join(import.meta.dirname, "equivalents.json"), "utf8"),
);
const isSame = (mutant: FolderMutant) => (known: Equivalent) =>
  known.path === mutant.path && known.code === mutant.code && known.change === mutant.change;

/** Selects the mutants to run: all of named constants, and a reproducible sample of the rest. */
function choose(mutants: readonly FolderMutant[]): readonly FolderMutant[] {
  const rest = mutants.filter(({ isNamed }) => !isNamed).sort((one, other) => (one.key < other.key ? -1 : 1));
  const chosen = new Set(rest.slice(skip, skip + sample));
  return mutants.filter((mutant) => mutant.isNamed || chosen.has(mutant));
}

async function findKillers(folder: Folder, chosen: readonly FolderMutant[]): Promise<Map<number, Killer>> {
  const verdicts = openVerdicts(ROOT, folder);
  const killers = new Map<number, Killer>();
  const pending = chosen.filter((mutant) => {
    const killer = verdicts.find(mutant);
    if (killer !== undefined) killers.set(mutant.id, killer);
    return killer === undefined;
  });
  console.log(`— ${folder.folder}: ${chosen.length} mutants, ${pending.length} to run`);
  if (pending.length === 0) return killers;
  await runLanes({
    root: ROOT,
    folder: folder.folder,
    testFiles: folder.testFiles,
    mutants: toJobs(pending, folder),
    sources: folder.sources,
    lanes,
    onResult: (id, killer) => {
      killers.set(id, killer);
      verdicts.add(folder.mutants[id]!, killer);
      if (killers.size % 25 === 0) {
        verdicts.save();
        console.log(`  ${killers.size} of ${chosen.length}`);
      }
    },
  });
  verdicts.save();
  return killers;
}

/** Runs a folder's mutants and prints the survivors. Returns whether the score and the named constants pass. */
async function mutate(name: string): Promise<boolean> {
  const folder = loadFolder(ROOT, name);
  const known = equivalents.filter(({ path }) => path.startsWith(`${name}/`));
  const isEquivalent = (mutant: FolderMutant) => known.some(isSame(mutant));
  const stale = known.filter((equivalent) => !folder.mutants.some((mutant) => isSame(mutant)(equivalent)));
  const chosen = choose(folder.mutants.filter((mutant) => !isEquivalent(mutant)));
  const killers = await findKillers(folder, chosen);
  const survivors = chosen.filter(({ id }) => killers.get(id) === null);
  for (const { path, line, change, code, isNamed } of survivors)
    console.log(`${path}:${line}  ${isNamed ? "NAMED CONSTANT " : ""}${change}\n    ${code}`);
  for (const { path, code, change, reason } of known)
    console.log(`equivalent: ${path}  ${change}  (${code}): ${reason}`);
  for (const { path, code, change } of stale)
    console.log(`No longer a mutant: ${path}  ${change}  (${code})`);
  const { score, error } = scoreOf(
    folder.mutants.filter((mutant) => !isEquivalent(mutant)),
    chosen,
    survivors,
  );
  const named = survivors.filter(({ isNamed }) => isNamed).length;
  console.log(
    `${name}: score ${score.toFixed(3)}${error > 0 ? ` ± ${error.toFixed(3)}` : ""} (at least ${LIMITS[name]}), ` +
      `${chosen.length} mutants, ${survivors.length} survived, ${named} of them in named constants; ` +
      `${folder.mutants.filter(isEquivalent).length} equivalent\n`,
  );
  return score >= (LIMITS[name] ?? 0) && named === 0 && stale.length === 0;
}

/**
 * The share of a folder's mutants that a test noticed, and half the width of its 95% CI. All mutants of named
 * constants were run. The share of the other mutants is estimated from the sample.
 */
function scoreOf(
  all: readonly FolderMutant[],
  chosen: readonly FolderMutant[],
  survivors: readonly FolderMutant[],
): { readonly score: number; readonly error: number } {
  const count = (mutants: readonly FolderMutant[]) => mutants.filter(({ isNamed }) => !isNamed).length;
  const [others, sampled, lost] = [count(all), count(chosen), count(survivors)];
  const rate = sampled === 0 ? 0 : lost / sampled;
  const variance = (rate * (1 - rate) * (others - sampled)) / Math.max(1, sampled * (others - 1));
  const survived = survivors.length - lost + others * rate;
  return { score: 1 - survived / all.length, error: (1.96 * Math.sqrt(variance) * others) / all.length };
}

const names = positionals.length > 0 ? positionals : Object.keys(LIMITS);
let isGood = true;
for (const name of names) isGood = (await mutate(name)) && isGood;
process.exit(isGood ? 0 : 1);

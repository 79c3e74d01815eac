import { resolve } from "node:path";
import { migrateStores } from "@assay/server";
import { type MoveOutcome, moveFolder } from "@assay/server/move";
import { parseSettings, type Settings } from "@assay/server/settings";
import { CommandError } from "../command-error.ts";
import { createLogger } from "../logger.ts";
import { readOptions } from "../options.ts";
import { showMove } from "../show-move.ts";

/**
 * Brings the schemas of the control plane and the event store up to date. With `--cluster`, creates new tables for events on a
 * ClickHouse cluster; with `--from`, fills the stores from a data folder.
 */
export async function migrate(args: readonly string[]): Promise<void> {
  const { options } = readOptions(args, ["from", "cluster"]);
  const settings = parseSettings(process.env);
  if (options.from !== undefined && options.cluster !== undefined)
    throw new CommandError(
      "--cluster and --from cannot be combined: run migrate --cluster NAME first, then migrate --from DIR.",
    );
  if (options.from !== undefined) return moveDataFolder(options.from, settings);
  await migrateStores(settings, createLogger("warn"), options.cluster);
  console.log("The control plane and the event store are up to date.");
}

/** Moves a data folder to servers and prints the counts. The process exits with 1 when the servers still lack something. */
async function moveDataFolder(from: string, settings: Settings): Promise<void> {
  const dir = resolve(from);
  console.log(`Copying ${dir} to the servers. The folder stays as it is.`);
  const progress = showMove();
  const { kind, parts } = await moveFolder(settings, {
    dir,
    log: createLogger("warn"),
    onMoved: progress.onMoved,
  }).finally(progress.end);
  if (parts.length > 0) printParts(parts);
  console.log(ENDINGS[kind]);
  if (kind === "differs") process.exitCode = 1;
}

const ENDINGS: Readonly<Record<MoveOutcome["kind"], string>> = {
  moved:
    "\nEverything was copied. Start the service with these settings. Do not start one on the folder again, but keep it until you trust the servers.",
  "was-moved-before":
    "This folder was already moved to these servers. Start the service with these settings.",
  differs:
    "\nSomething is missing on the servers, and no service will start on them. Run the same command again. If the counts still differ, empty the three servers (drop their tables and streams) and run it once more.",
};

const HEADINGS = ["part", "in the folder", "on the servers"];

function printParts(parts: MoveOutcome["parts"]): void {
  const rows = parts.map(({ name, source, target, isEqual }) => [
    name,
    count(source),
    count(target),
    isEqual ? "✓" : "✗",
  ]);
  const width = (i: number) => Math.max(...[HEADINGS, ...rows].map((row) => row[i]?.length ?? 0));
  console.log("");
  for (const [name = "", source = "", target = "", mark = ""] of [HEADINGS, ...rows])
    console.log(
      `${name.padEnd(width(0))}  ${source.padStart(width(1))}  ${target.padStart(width(2))}  ${mark}`.trimEnd(),
    );
}

const count = (n: number) => n.toLocaleString("en");

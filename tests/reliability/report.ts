import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg, totalmem } from "node:os";
import { join } from "node:path";
import { createClient } from "@clickhouse/client";
import pg from "pg";
import { ROOT } from "../e2e/support/program.ts";
import { findNats } from "../servers/nats.ts";
import { faultsOf } from "./account.ts";
import type { Deployment } from "./deployment.ts";
import type { FaultReport } from "./play-fault.ts";

const DOCUMENT = join(ROOT, "docs/reliability.md");

/** Replaces the text between a section's marks in the document. The rest is written by hand. */
export function writeChapter(name: string, text: string): void {
  const before = readFileSync(DOCUMENT, "utf8");
  const [from, to] = [`<!-- ${name}: begin -->\n`, `<!-- ${name}: end -->`];
  const [start, end] = [before.indexOf(from), before.indexOf(to)];
  if (start < 0 || end < start) throw new Error(`docs/reliability.md has no marks for ${name}.`);
  writeFileSync(DOCUMENT, before.slice(0, start + from.length) + text + before.slice(end));
}

/** Describes the servers and the machine of the run. */
export async function groundOf({ postgres, clickhouse }: Deployment): Promise<string> {
  const database = new pg.Client({ connectionString: postgres.url });
  await database.connect();
  const { rows } = await database.query<{ server_version: string }>("show server_version");
  await database.end();
  const events = createClient({ url: clickhouse.url });
  const [[clickhouseVersion]] = (await (
    await events.query({ query: "SELECT version()", format: "JSONCompactEachRow" })
  ).json<[string]>()) as [[string]];
  await events.close();
  const nats = execFileSync(findNats() ?? "nats-server", ["--version"], { encoding: "utf8" });
  const memory = Math.round(totalmem() / 1024 ** 3);
  return (
    `PostgreSQL ${rows[0]?.server_version.split(" ")[0]}, ClickHouse ${clickhouseVersion}, three nodes of NATS ` +
    `${/v([\d.]+)/.exec(nats)?.[1]}, Node ${process.versions.node}, all on one machine of ${availableParallelism()} cores ` +
    `and ${memory} GiB with a load average of ${Math.round(loadavg()[1] ?? 0)}; ${new Date().toISOString().slice(0, 10)}.`
  );
}

interface Ground {
  readonly deployment: Deployment;
  readonly load: { readonly batchSize: number; readonly batchesPerSecond: number };
}

/** Writes the table of faults. */
export async function faultChapter(
  reports: readonly FaultReport[],
  { deployment, load }: Ground,
): Promise<string> {
  const header = [
    "what failed",
    "events",
    "sent again",
    "lost",
    "doubled",
    "outage, known users",
    "outage, new users",
    "slowest batch",
    "failed requests",
    "all stored after",
  ];
  const rows = reports.map((report) => [
    [report.fault, ...report.remarks].join("; "),
    count(report.events),
    count((report.repeats + failed(report)) * load.batchSize),
    String(lostBy(report)),
    String(doubledBy(report)),
    ...report.longestGapsMs.map(seconds),
    seconds(report.slowestBatchMs),
    failuresOf(report),
    seconds(report.drainedMs),
  ]);
  const total = reports.reduce((sum, { events }) => sum + events, 0);
  const wrong = reports.filter((report) => faultsOf(report.account).length > 0).length;
  return [
    `${count(total)} events at ${load.batchSize * load.batchesPerSecond} a second in batches of ${load.batchSize}. ` +
      `${wrong === 0 ? "After every fault each acknowledged event was stored once and counted once." : `${wrong} FAULTS LEFT WRONG COUNTS.`}`,
    `${await groundOf(deployment)}\n`,
    tableOf([header, header.map((_, place) => (place === 0 || place === 8 ? "---" : "--:")), ...rows]),
  ].join("\n");
}

export const tableOf = (rows: readonly (readonly string[])[]): string =>
  rows.map((cells) => `| ${cells.join(" | ")} |\n`).join("");

const count = (value: number): string => value.toLocaleString("en-US");
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
const failed = ({ failures }: FaultReport): number =>
  Object.values(failures).reduce((total, times) => total + times, 0);

function failuresOf({ failures }: FaultReport): string {
  const kinds = Object.entries(failures).map(([kind, times]) => `${times} × ${kind}`);
  return kinds.length === 0 ? "none" : kinds.join(", ");
}

const lostBy = ({ account }: FaultReport): number => Math.max(...account.logs.map(({ lost }) => lost));
const doubledBy = ({ account }: FaultReport): number =>
  Math.max(...account.logs.map(({ surplus }) => surplus));

import { statfs } from "node:fs/promises";
import { availableParallelism, totalmem } from "node:os";
import {
  openDataFolder,
  parseSettings,
  probeBilling,
  probeEmbeddedEngine,
  probeIdentity,
  probeJudge,
  SETTINGS,
  type Settings,
  serviceUrl,
  VERSION,
} from "@assay/server";
import { createLogger } from "../logger.ts";

interface Check {
  readonly name: string;
  /** Returns what was found; throws an error whose message says how to mend it. */
  run(settings: Settings): Promise<string>;
}

const GIB = 1024 ** 3;
const checks: readonly Check[] = [
  { name: "Node", run: async () => checkNode() },
  {
    name: "Memory",
    run: async () => `${(totalmem() / GIB).toFixed(1)} GiB, ${availableParallelism()} cores`,
  },
  { name: "Data folder", run: async ({ dataDir }) => openDataFolder(dataDir).path },
  { name: "Disk", run: checkDisk },
  { name: "Service", run: checkService },
  {
    name: "Control plane",
    run: async ({ databaseUrl }) =>
      databaseUrl ? "PostgreSQL at ASSAY_DATABASE_URL" : "SQLite in the data folder",
  },
  { name: "Event engine", run: checkEngine },
  { name: "Identity", run: ({ identity }) => probeIdentity(identity) },
  { name: "Billing", run: ({ billing }) => probeBilling(billing) },
  { name: "Judge", run: ({ judge }) => probeJudge(judge) },
];

/** Checks every dependency and prints what is wrong and how to mend it. */
export async function doctor(): Promise<void> {
  console.log(`Assay ${VERSION}\n`);
  printSettings();
  const settings = parseSettings(process.env);
  let failures = 0;
  for (const { name, run } of checks) {
    const [mark, text] = await run(settings).then(
      (found) => ["✓", found] as const,
      (error: Error) => ["✗", error.message] as const,
    );
    if (mark === "✗") failures += 1;
    console.log(`${mark} ${name.padEnd(14)} ${text}`);
  }
  console.log(failures === 0 ? "\nEverything is in order." : `\n${failures} to mend.`);
  process.exit(failures === 0 ? 0 : 1);
}

function printSettings(): void {
  for (const { name, default: fallback, meaning, isSecret } of SETTINGS) {
    const value = process.env[name];
    const shown = value === undefined || value === "" ? `${fallback} (default)` : isSecret ? "(set)" : value;
    console.log(`  ${name.padEnd(28)} ${shown.padEnd(28)} ${meaning}`);
  }
  console.log("");
}

function checkNode(): string {
  if (Number(process.versions.node.split(".")[0]) >= 24) return process.version;
  throw new Error(`${process.version} is too old: start through npm run, which brings Node 24.`);
}

async function checkDisk({ dataDir }: Settings): Promise<string> {
  const { bavail, bsize } = await statfs(dataDir);
  const freeGib = (bavail * bsize) / GIB;
  if (freeGib < 1)
    throw new Error(
      `only ${freeGib.toFixed(2)} GiB free: make room, or set ASSAY_DATA_DIR to a folder on another disk.`,
    );
  return `${freeGib.toFixed(1)} GiB free`;
}

async function checkService(settings: Settings): Promise<string> {
  const url = serviceUrl(settings);
  const response = await fetch(`${url}/readyz`).catch(() => null);
  if (response === null) return `nothing listens on ${url}: start it with npm start`;
  const body = await response.text();
  if (response.ok && body.includes('"checks"')) return `runs on ${url} and is ready`;
  if (body.includes('"checks"')) throw new Error(`runs on ${url} but is not ready: ${body}`);
  throw new Error(`another program listens on ${url}: stop it, or set ASSAY_PORT to another port.`);
}

async function checkEngine({ eventsUrl }: Settings): Promise<string> {
  if (eventsUrl === null) {
    await probeEmbeddedEngine(createLogger("warn"));
    return "embedded: starts on this machine";
  }
  const url = new URL("/ping", eventsUrl);
  url.username = url.password = "";
  const response = await fetch(url).catch(() => null);
  if (response?.ok) return "ClickHouse at ASSAY_EVENTS_URL answers";
  throw new Error(
    "ClickHouse at ASSAY_EVENTS_URL does not answer: check the address and that the server runs.",
  );
}

import { statfs } from "node:fs/promises";
import { availableParallelism, totalmem } from "node:os";
import {
  type EngineReport,
  openDataFolder,
  probeBilling,
  probeControlPlane,
  probeDataFolder,
  probeEmbeddedEngine,
  probeEvents,
  probeEventsFolder,
  probeIdentity,
  probeJudge,
  probeMail,
  probeMasterKey,
  probeQueue,
  VERSION,
} from "@assay/server/probes";
import { parseSettings, SETTINGS, type Settings, serviceUrl } from "@assay/server/settings";
import { hidePasswords } from "../hide-passwords.ts";
import { createLogger } from "../logger.ts";
import { readOptions } from "../options.ts";

/** The result of a check. Advice in it is not a failure. */
type Finding = string | EngineReport;

interface Check {
  readonly name: string;
  /** Returns what was found. Throws an error whose message says how to fix it. */
  run(settings: Settings): Promise<Finding>;
}

const GIB = 1024 ** 3;
const COLLECTOR_MS = 5_000;
const checks: readonly Check[] = [
  { name: "Node", run: async () => checkNode() },
  {
    name: "Memory",
    run: async () => `${(totalmem() / GIB).toFixed(1)} GiB, ${availableParallelism()} cores`,
  },
  { name: "Role", run: async (settings) => roleInWords(settings) },
  { name: "Data folder", run: checkFolder },
  { name: "Disk", run: checkDisk },
  { name: "Service", run: checkService },
  { name: "Control plane", run: probeControlPlane },
  { name: "Event engine", run: checkEngine },
  { name: "Queue", run: probeQueue },
  { name: "Master key", run: probeMasterKey },
  { name: "Identity", run: ({ identity }) => probeIdentity(identity) },
  { name: "Billing", run: ({ billing }) => probeBilling(billing) },
  { name: "Judge", run: ({ judge }) => probeJudge(judge) },
  { name: "Mail", run: ({ alerts }) => probeMail(alerts.smtp) },
  { name: "Traces", run: checkTraces },
];

/** Checks every dependency and prints what is wrong and how to fix it. */
export async function doctor(args: readonly string[]): Promise<void> {
  readOptions(args, []);
  console.log(`Assay ${VERSION}\n`);
  printSettings();
  const settings = parseSettings(process.env);
  let failures = 0;
  let advice = 0;
  for (const { name, run } of checks) {
    const finding = await run(settings).catch((error: Error) => error);
    if (finding instanceof Error) failures += 1;
    else if (typeof finding !== "string") advice += finding.advice.length;
    for (const line of inLines(name, finding)) console.log(hidePasswords(line));
  }
  console.log(`\n${inSentence(failures, advice)}`);
  process.exit(failures === 0 ? 0 : 1);
}

function inLines(name: string, finding: Finding | Error): readonly string[] {
  const title = name.padEnd(14);
  if (finding instanceof Error) return [`✗ ${title} ${finding.message}`];
  if (typeof finding === "string") return [`✓ ${title} ${finding}`];
  return [`✓ ${title} ${finding.found}`, ...finding.advice.map((text) => `! ${title} ${text}`)];
}

function inSentence(failures: number, advice: number): string {
  if (failures > 0) return `${failures} ${failures === 1 ? "check" : "checks"} failed.`;
  return advice === 0 ? "Everything is in order." : "No check failed. Read the lines that begin with !.";
}

function printSettings(): void {
  for (const { name, default: fallback, meaning, isSecret } of SETTINGS) {
    const value = process.env[name];
    const shown =
      value === undefined || value === ""
        ? `${fallback} (default)`
        : isSecret
          ? "(set)"
          : hidePasswords(value);
    console.log(`  ${name.padEnd(28)} ${shown.padEnd(28)} ${meaning}`);
  }
  console.log("");
}

function checkNode(): string {
  if (Number(process.versions.node.split(".")[0]) >= 24) return process.version;
  throw new Error(`${process.version} is too old: start through npm run, which installs Node 24.`);
}

function roleInWords({ role }: Settings): string {
  switch (role) {
    case "all":
      return "all: this process answers requests and does the background work";
    case "api":
      return "api: this process answers requests; another with ASSAY_ROLE=worker must do the background work";
    case "worker":
      return "worker: this process does the background work and answers only probes";
  }
}

/** Whether the data folder is used. It is not when all engines and the master key are elsewhere. */
const needsFolder = ({ databaseUrl, eventsUrl, queueUrls, masterKey }: Settings): boolean =>
  databaseUrl === null || eventsUrl === null || queueUrls === null || masterKey === null;

async function checkFolder(settings: Settings): Promise<string> {
  if (!needsFolder(settings)) return "none needed: all data is on the servers";
  const { path } = openDataFolder(settings.dataDir);
  await probeDataFolder(settings);
  return path;
}

async function checkDisk(settings: Settings): Promise<string> {
  if (!needsFolder(settings)) return "none needed";
  const { bavail, bsize } = await statfs(settings.dataDir);
  const freeGib = (bavail * bsize) / GIB;
  if (freeGib < 1)
    throw new Error(
      `only ${freeGib.toFixed(2)} GiB free: free some space, or set ASSAY_DATA_DIR to a folder on another disk.`,
    );
  return `${freeGib.toFixed(1)} GiB free`;
}

interface Readiness {
  readonly status: string;
  readonly role: string;
  readonly checks: Readonly<Record<string, { readonly status: string }>>;
}

async function checkService(settings: Settings): Promise<Finding> {
  const url = serviceUrl(settings);
  const response = await fetch(`${url}/readyz`).catch(() => null);
  if (response === null) return `nothing listens on ${url}: start it with npm start`;
  const readiness = (await response.json().catch(() => null)) as Partial<Readiness> | null;
  if (typeof readiness?.checks !== "object")
    throw new Error(`another program listens on ${url}: stop it, or set ASSAY_PORT to another port.`);
  const { status, role, checks } = readiness as Readiness;
  const away = Object.keys(checks).filter((name) => checks[name]?.status !== "ok");
  if (!response.ok)
    throw new Error(`runs on ${url} (${role}) but is not ready: ${[status, ...away].join(", ")}. See below.`);
  const advice = away.map((name) => `it gets no answer from ${name}. See below.`);
  return { found: `runs on ${url} (${role}) and is ready`, advice };
}

async function checkEngine(settings: Settings): Promise<Finding> {
  if (settings.eventsUrl !== null) return probeEvents(settings.eventsUrl);
  probeEventsFolder(settings);
  await probeEmbeddedEngine(createLogger("warn"));
  return "embedded: starts on this machine";
}

async function checkTraces({ tracing }: Settings): Promise<string> {
  if (tracing === null) return "none: OTEL_EXPORTER_OTLP_ENDPOINT is not set";
  const { origin } = new URL(tracing.tracesUrl);
  // An empty request is valid: it contains no spans.
  const response = await fetch(tracing.tracesUrl, {
    method: "POST",
    headers: { "content-type": "application/x-protobuf" },
    body: new Uint8Array(),
    signal: AbortSignal.timeout(COLLECTOR_MS),
  }).catch(() => null);
  if (response === null)
    throw new Error(
      `nothing answers at ${origin}: check OTEL_EXPORTER_OTLP_ENDPOINT and that the collector runs.`,
    );
  if (response.status === 404)
    throw new Error(
      `${origin} accepts no traces: OTEL_EXPORTER_OTLP_ENDPOINT must be an OTLP address for HTTP (port 4318).`,
    );
  return `a collector answers at ${origin}`;
}

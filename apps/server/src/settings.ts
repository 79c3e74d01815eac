import { isAbsolute, resolve } from "node:path";
import type { RateSettings } from "./http/rate-limits.ts";

/** A start-up fault with one line that names the setting and the rule. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}

export interface Settings {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  /** PostgreSQL for the control plane; null: SQLite in the data folder. */
  readonly databaseUrl: string | null;
  /** ClickHouse (HTTP) for events; null: the embedded engine in the data folder. */
  readonly eventsUrl: string | null;
  /** 32 bytes; null: generated in the data folder. */
  readonly masterKey: Buffer | null;
  /** Lower case; null: the local owner. */
  readonly platformOwnerEmails: readonly string[] | null;
  /** Whether plan limits are applied; metering always runs. */
  readonly enforcePlanLimits: boolean;
  /** Minutes after midnight UTC. */
  readonly nightlyAtMinutes: number;
  readonly rateLimits: RateSettings;
}

/** Writes the address under which a service that listens on `host` is reached from the same machine. */
export function serviceUrl({ host, port }: Pick<Settings, "host" | "port">): string {
  const name = host.includes(":") ? `[${host}]` : host === "0.0.0.0" ? "127.0.0.1" : host;
  return `http://${name}:${port}`;
}

interface SettingRow {
  readonly name: string;
  readonly default: string;
  readonly meaning: string;
}

/** Every setting of this version, as `assay doctor` and the README list them. */
export const SETTINGS: readonly SettingRow[] = [
  { name: "ASSAY_HOST", default: "127.0.0.1", meaning: "address to listen on" },
  { name: "ASSAY_PORT", default: "8787", meaning: "port to listen on, 0 for any free one" },
  { name: "ASSAY_DATA_DIR", default: ".assay", meaning: "folder of the embedded engines and generated keys" },
  {
    name: "ASSAY_ROLE",
    default: "all",
    meaning: "all: one process does everything (api and worker need server engines)",
  },
  { name: "ASSAY_DATABASE_URL", default: "embedded", meaning: "postgres:// address for the control plane" },
  { name: "ASSAY_EVENTS_URL", default: "embedded", meaning: "http(s):// address of a ClickHouse for events" },
  { name: "ASSAY_MASTER_KEY", default: "generated", meaning: "32 bytes in base64 that encrypt keys at rest" },
  { name: "ASSAY_IDENTITY", default: "local", meaning: "who signs sessions: local" },
  {
    name: "ASSAY_PLATFORM_OWNER_EMAILS",
    default: "the local owner",
    meaning: "comma-separated sign-in emails of platform owners",
  },
  {
    name: "ASSAY_ENFORCE_PLAN_LIMITS",
    default: "false",
    meaning: "true: apply the plans' allowance, retention and analysis limits",
  },
  { name: "ASSAY_NIGHTLY_AT", default: "00:15", meaning: "UTC time of the nightly pipeline" },
  {
    name: "ASSAY_RATE_ASSIGN_PER_SECOND",
    default: "2000",
    meaning: "requests to assign per key and process; bursts of twice that, as of each of these limits",
  },
  {
    name: "ASSAY_RATE_EVENTS_PER_SECOND",
    default: "1000",
    meaning: "requests to events per key and process",
  },
  {
    name: "ASSAY_RATE_CONFIG_PER_SECOND",
    default: "1000",
    meaning: "requests to config per key and process",
  },
  {
    name: "ASSAY_RATE_BUSINESS_EVENTS_PER_SECOND",
    default: "1000",
    meaning: "signed business events per org and process",
  },
  { name: "ASSAY_RATE_IMPORT_PER_MINUTE", default: "10", meaning: "imports per key and process" },
];

/** Named by the contract, served by a later version: said plainly instead of being ignored. */
const LATER = [
  "ASSAY_QUEUE_URL",
  "ASSAY_IDENTITY_ISSUER",
  "ASSAY_IDENTITY_AUDIENCE",
  "ASSAY_IDENTITY_JWKS_URL",
  "ASSAY_IDENTITY_WEBHOOK_SECRET",
  "ASSAY_IDENTITY_API_KEY",
  "ASSAY_IDENTITY_API_URL",
  "ASSAY_BILLING_SECRET_KEY",
  "ASSAY_BILLING_WEBHOOK_SECRET",
  "ASSAY_BILLING_PRICE_PRO",
  "ASSAY_BILLING_PRICE_BUSINESS",
  "ASSAY_BILLING_API_URL",
  "ASSAY_JUDGE_URL",
  "ASSAY_JUDGE_API_KEY",
  "ASSAY_JUDGE_MODEL",
];

/** Names that belong to others: the client libraries' settings and the test suites'. */
const FOREIGN = ["ASSAY_API_KEY", "ASSAY_BASE_URL"];

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the settings from an environment; throws a `SettingsError` of one line at the first fault. */
export function parseSettings(env: Environment): Settings {
  rejectUnknown(env);
  const read = (name: string) => (env[name] === "" ? undefined : env[name]);
  parseChoice(
    "ASSAY_ROLE",
    read("ASSAY_ROLE") ?? "all",
    ["all"],
    "api and worker need ASSAY_QUEUE_URL, which comes later",
  );
  parseChoice("ASSAY_IDENTITY", read("ASSAY_IDENTITY") ?? "local", ["local"], "clerk and oidc come later");
  return {
    host: read("ASSAY_HOST") ?? "127.0.0.1",
    port: parsePort(read("ASSAY_PORT") ?? "8787"),
    dataDir: parseFolder(read("ASSAY_DATA_DIR") ?? ".assay"),
    databaseUrl: parseUrl("ASSAY_DATABASE_URL", read("ASSAY_DATABASE_URL"), ["postgres:", "postgresql:"]),
    eventsUrl: parseUrl("ASSAY_EVENTS_URL", read("ASSAY_EVENTS_URL"), ["http:", "https:"]),
    masterKey: parseMasterKey(read("ASSAY_MASTER_KEY")),
    platformOwnerEmails: parseEmails(read("ASSAY_PLATFORM_OWNER_EMAILS")),
    enforcePlanLimits: parseFlag("ASSAY_ENFORCE_PLAN_LIMITS", read("ASSAY_ENFORCE_PLAN_LIMITS") ?? "false"),
    nightlyAtMinutes: parseTime(read("ASSAY_NIGHTLY_AT") ?? "00:15"),
    rateLimits: parseRates(read),
  };
}

function rejectUnknown(env: Environment): void {
  const known = new Set([...SETTINGS.map(({ name }) => name), ...FOREIGN]);
  for (const name of Object.keys(env)) {
    if (!name.startsWith("ASSAY_") || name.startsWith("ASSAY_TEST_") || known.has(name)) continue;
    if (LATER.includes(name)) throw new SettingsError(`${name} is not supported by this version: unset it.`);
    throw new SettingsError(
      `${name} is not a setting of Assay: unset it, or see \`npm run assay -- doctor\` for the list.`,
    );
  }
}

function parseChoice(name: string, value: string, allowed: readonly string[], why: string): void {
  if (!allowed.includes(value))
    throw new SettingsError(`${name} must be ${allowed.join(" or ")}, not "${value}" (${why}).`);
}

function parseFlag(name: string, text: string): boolean {
  if (text === "true" || text === "false") return text === "true";
  throw new SettingsError(`${name} must be true or false, not "${text}".`);
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new SettingsError(`ASSAY_PORT must be a whole number from 0 to 65535, not "${text}".`);
}

/** Relative folders count from where npm was called, not from the workspace it runs in. */
function parseFolder(text: string): string {
  return isAbsolute(text) ? text : resolve(process.cwd(), text);
}

function parseUrl(name: string, text: string | undefined, protocols: readonly string[]): string | null {
  if (text === undefined || text === "embedded") return null;
  const url = URL.parse(text);
  if (url && protocols.includes(url.protocol)) return text;
  // The value is not repeated: an address of a database carries its password.
  throw new SettingsError(
    `${name} must be an address that starts with ${protocols.map((p) => `${p}//`).join(" or ")}.`,
  );
}

function parseMasterKey(text: string | undefined): Buffer | null {
  if (text === undefined) return null;
  const key = Buffer.from(text, "base64");
  if (key.length === 32 && key.toString("base64") === text) return key;
  throw new SettingsError(
    "ASSAY_MASTER_KEY must be 32 bytes in base64, as `openssl rand -base64 32` prints them.",
  );
}

function parseEmails(text: string | undefined): readonly string[] | null {
  if (text === undefined) return null;
  const emails = text.split(",").map((email) => email.trim().toLowerCase());
  if (emails.every((email) => /^[^@\s]+@[^@\s]+$/.test(email))) return emails;
  throw new SettingsError("ASSAY_PLATFORM_OWNER_EMAILS must be emails separated by commas.");
}

function parseTime(text: string): number {
  const match = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text);
  if (match) return Number(match[1]) * 60 + Number(match[2]);
  throw new SettingsError(`ASSAY_NIGHTLY_AT must be a UTC time such as 00:15, not "${text}".`);
}

function parseRates(read: (name: string) => string | undefined): RateSettings {
  const rate = (name: string, byDefault: string) => parseCount(name, read(name) ?? byDefault);
  return {
    assignPerSecond: rate("ASSAY_RATE_ASSIGN_PER_SECOND", "2000"),
    eventsPerSecond: rate("ASSAY_RATE_EVENTS_PER_SECOND", "1000"),
    configPerSecond: rate("ASSAY_RATE_CONFIG_PER_SECOND", "1000"),
    businessEventsPerSecond: rate("ASSAY_RATE_BUSINESS_EVENTS_PER_SECOND", "1000"),
    importPerMinute: rate("ASSAY_RATE_IMPORT_PER_MINUTE", "10"),
  };
}

function parseCount(name: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new SettingsError(`${name} must be a whole number from 1 to 999999999, not "${text}".`);
}

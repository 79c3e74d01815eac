import { isAbsolute, resolve } from "node:path";
import { asciiLowerCase } from "@assay/domain";
import type { RateSettings } from "./http/rate-limits.ts";
import { ALERT_SETTINGS, type AlertSettings, parseAlerts } from "./settings/alert-settings.ts";
import { BILLING_SETTINGS, type BillingSettings, parseBilling } from "./settings/billing-settings.ts";
import { IDENTITY_SETTINGS, type IdentitySettings, parseIdentity } from "./settings/identity-settings.ts";
import {
  JUDGE_SETTINGS,
  type JudgeSettings,
  parseJudge,
  parseRehearsal,
  REHEARSAL_SETTINGS,
  type RehearsalSettings,
} from "./settings/judge-settings.ts";
import {
  parseChoice,
  parseCount,
  parseFlag,
  parseNetworks,
  parseOrigin,
  parseShare,
  parseUrl,
  type ReadSetting,
  SettingsError,
} from "./settings/parse-value.ts";
import { parseTracing, type TracingSettings } from "./settings/tracing-settings.ts";

export { SettingsError };

const ROLES = ["all", "api", "worker"] as const;
export type RoleSetting = (typeof ROLES)[number];

export interface Settings {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  /** PostgreSQL for the control plane; null: SQLite in the data folder. */
  readonly databaseUrl: string | null;
  /** ClickHouse (HTTP) for events; null: the embedded engine in the data folder. */
  readonly eventsUrl: string | null;
  /** NATS JetStream for the ingest queue, servers of one cluster; null: the embedded queue in the data folder. */
  readonly queueUrls: readonly string[] | null;
  /** The part of the service that this process runs. */
  readonly role: RoleSetting;
  /** 32 bytes; null: generated in the data folder. */
  readonly masterKey: Buffer | null;
  readonly identity: IdentitySettings;
  /** Null when there is no billing. */
  readonly billing: BillingSettings | null;
  /** Null when there is no judge. */
  readonly judge: JudgeSettings | null;
  /** Null when nothing can answer the inputs of rehearsals. */
  readonly rehearsal: RehearsalSettings | null;
  readonly alerts: AlertSettings;
  /** Proxies whose forwarded headers are trusted; none by default. */
  readonly trustedProxies: readonly string[];
  /** The origin under which people reach the service. Null: each request's own origin. */
  readonly publicUrl: string | null;
  /** Host names, in lower case, that requests may name; null: any. */
  readonly allowedHosts: readonly string[] | null;
  /** ASCII letters in lower case; null: the local owner. */
  readonly platformOwnerEmails: readonly string[] | null;
  /** Whether plan limits are applied; metering always runs. */
  readonly enforcePlanLimits: boolean;
  /** The share of a month's allowance that publishable keys may use, 0 to 1. */
  readonly publicAllowanceShare: number;
  /** Minutes after midnight UTC. */
  readonly nightlyAtMinutes: number;
  readonly rateLimits: RateSettings;
  /** The most contact messages per hour from one network. */
  readonly contactPerHour: number;
  /** How long a stopping process still answers, with `/readyz` at 503. */
  readonly stopDelayMs: number;
  /** Null when tracing is off. */
  readonly tracing: TracingSettings | null;
}

/** Builds the address at which a service listening on `host` is reached from the same machine. */
export function serviceUrl({ host, port }: Pick<Settings, "host" | "port">): string {
  const name = host.includes(":") ? `[${host}]` : host === "0.0.0.0" ? "127.0.0.1" : host;
  return `http://${name}:${port}`;
}

interface SettingRow {
  readonly name: string;
  readonly default: string;
  readonly meaning: string;
  /** Whether the value must not be shown. */
  readonly isSecret?: boolean;
}

/** Every setting of this version, as `assay doctor` and the README list them. */
export const SETTINGS: readonly SettingRow[] = [
  { name: "ASSAY_HOST", default: "127.0.0.1", meaning: "address to listen on" },
  { name: "ASSAY_PORT", default: "8787", meaning: "port to listen on; 0 for any free port" },
  { name: "ASSAY_DATA_DIR", default: ".assay", meaning: "folder of the embedded engines and generated keys" },
  {
    name: "ASSAY_ROLE",
    default: "all",
    meaning:
      "all: one process does everything; api: answers requests; worker: does the rest (api and worker need server engines)",
  },
  {
    name: "ASSAY_DATABASE_URL",
    default: "embedded",
    meaning: "postgres:// address for the control plane",
    isSecret: true,
  },
  {
    name: "ASSAY_EVENTS_URL",
    default: "embedded",
    meaning: "http(s)://user:password@host:port/database of a ClickHouse for events",
    isSecret: true,
  },
  {
    name: "ASSAY_QUEUE_URL",
    default: "embedded",
    meaning:
      "comma-separated nats:// or tls:// addresses of a NATS cluster with JetStream for the ingest queue",
    isSecret: true,
  },
  {
    name: "ASSAY_MASTER_KEY",
    default: "generated",
    meaning: "32 bytes in base64 that encrypt keys at rest",
    isSecret: true,
  },
  ...IDENTITY_SETTINGS,
  {
    name: "ASSAY_PLATFORM_OWNER_EMAILS",
    default: "the local owner",
    meaning: "comma-separated sign-in emails of platform owners",
  },
  ...BILLING_SETTINGS,
  ...JUDGE_SETTINGS,
  ...REHEARSAL_SETTINGS,
  ...ALERT_SETTINGS,
  {
    name: "ASSAY_TRUSTED_PROXIES",
    default: "none",
    meaning: "comma-separated addresses or networks of proxies whose X-Forwarded-* headers are trusted",
  },
  {
    name: "ASSAY_PUBLIC_URL",
    default: "the request's own",
    meaning: "http(s):// address under which people reach the service, such as https://assay.example.com",
  },
  {
    name: "ASSAY_ALLOWED_HOSTS",
    default: "any",
    meaning:
      "comma-separated host names that requests may use, in addition to those of ASSAY_PUBLIC_URL and of this machine",
  },
  {
    name: "ASSAY_ENFORCE_PLAN_LIMITS",
    default: "true with billing, else false",
    meaning: "true: apply the plans' allowance, retention and analysis limits",
  },
  {
    name: "ASSAY_PUBLIC_ALLOWANCE_SHARE",
    default: "0.8",
    meaning: "share of a month's allowance, 0 to 1, that publishable keys may use",
  },
  { name: "ASSAY_NIGHTLY_AT", default: "00:15", meaning: "UTC time of the nightly pipeline" },
  {
    name: "ASSAY_RATE_ASSIGN_PER_SECOND",
    default: "2000",
    meaning:
      "requests to assign and for one flag, per key and process; like every ASSAY_RATE_ limit except the one of contact messages, it allows bursts of twice the rate",
  },
  {
    name: "ASSAY_RATE_EVENTS_PER_SECOND",
    default: "1000",
    meaning: "events requests per key and process",
  },
  {
    name: "ASSAY_RATE_PUBLIC_ROWS_PER_SECOND",
    default: "20000",
    meaning: "rows that publishable keys send to events, per key and process",
  },
  {
    name: "ASSAY_RATE_PUBLIC_BYTES_PER_SECOND",
    default: "8388608",
    meaning:
      "bytes of bodies, decompressed, that publishable keys send to assign, flags and events, per key and process",
  },
  {
    name: "ASSAY_RATE_ROWS_PER_SECOND",
    default: "100000",
    meaning: "rows that secret keys send to events, per key and process",
  },
  {
    name: "ASSAY_RATE_BYTES_PER_SECOND",
    default: "67108864",
    meaning:
      "bytes of bodies, decompressed, that secret keys send to assign, flags and events, per key and process",
  },
  {
    name: "ASSAY_RATE_CONFIG_PER_SECOND",
    default: "1000",
    meaning: "requests for the config and for all flags, per key and process",
  },
  {
    name: "ASSAY_RATE_BUSINESS_EVENTS_PER_SECOND",
    default: "1000",
    meaning: "signed business events per org and process",
  },
  { name: "ASSAY_RATE_IMPORT_PER_MINUTE", default: "10", meaning: "imports per key and process" },
  {
    name: "ASSAY_RATE_ANALYSES_PER_MINUTE",
    default: "30",
    meaning: "analyses that people start, per org and process",
  },
  {
    name: "ASSAY_RATE_SEARCHES_PER_MINUTE",
    default: "60",
    meaning: "searches for a text in raw events, per org and process",
  },
  {
    name: "ASSAY_STOP_DELAY_SECONDS",
    default: "0",
    meaning:
      "on SIGTERM: seconds to keep answering while not ready, so that load balancers stop sending requests",
  },
  { name: "ASSAY_RATE_CONTACT_PER_HOUR", default: "5", meaning: "contact messages per IP address" },
  {
    name: "ASSAY_TOKEN",
    default: "none",
    meaning: "service token with which commands call the running service (`assay help` says which)",
    isSecret: true,
  },
];

/** Names that the client libraries use. */
const FOREIGN = ["ASSAY_API_KEY", "ASSAY_BASE_URL"];

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the settings from an environment. Throws a one-line `SettingsError` at the first fault. */
export function parseSettings(env: Environment): Settings {
  rejectUnknown(env);
  const read: ReadSetting = (name) => (env[name] === "" ? undefined : env[name]);
  const billing = parseBilling(read);
  const judge = parseJudge(read);
  const settings: Settings = {
    host: read("ASSAY_HOST") ?? "127.0.0.1",
    port: parsePort(read("ASSAY_PORT") ?? "8787"),
    dataDir: parseFolder(read("ASSAY_DATA_DIR") ?? ".assay"),
    databaseUrl: parseEngine("ASSAY_DATABASE_URL", read("ASSAY_DATABASE_URL"), ["postgres:", "postgresql:"]),
    eventsUrl: parseEngine("ASSAY_EVENTS_URL", read("ASSAY_EVENTS_URL"), ["http:", "https:"]),
    queueUrls: parseQueue(read("ASSAY_QUEUE_URL")),
    role: parseChoice("ASSAY_ROLE", read("ASSAY_ROLE") ?? "all", ROLES),
    masterKey: parseMasterKey(read("ASSAY_MASTER_KEY")),
    identity: parseIdentity(read),
    billing,
    judge,
    rehearsal: parseRehearsal(read, judge),
    alerts: parseAlerts(read),
    trustedProxies: parseProxies(read("ASSAY_TRUSTED_PROXIES")),
    ...parseHosts(read),
    platformOwnerEmails: parseEmails(read("ASSAY_PLATFORM_OWNER_EMAILS")),
    enforcePlanLimits: parseFlag(
      "ASSAY_ENFORCE_PLAN_LIMITS",
      read("ASSAY_ENFORCE_PLAN_LIMITS") ?? String(billing !== null),
    ),
    publicAllowanceShare: parseShare(
      "ASSAY_PUBLIC_ALLOWANCE_SHARE",
      read("ASSAY_PUBLIC_ALLOWANCE_SHARE") ?? "0.8",
    ),
    nightlyAtMinutes: parseTime(read("ASSAY_NIGHTLY_AT") ?? "00:15"),
    rateLimits: parseRates(read),
    contactPerHour: parseCount("ASSAY_RATE_CONTACT_PER_HOUR", read("ASSAY_RATE_CONTACT_PER_HOUR") ?? "5"),
    stopDelayMs: parseDelay(read("ASSAY_STOP_DELAY_SECONDS") ?? "0"),
    tracing: parseTracing(read),
  };
  requireShared(settings);
  return settings;
}

/** Processes that run together cannot share an embedded engine or a generated key. */
function requireShared({ role, databaseUrl, eventsUrl, queueUrls, masterKey }: Settings): void {
  if (role === "all") return;
  const needed = {
    ASSAY_DATABASE_URL: databaseUrl,
    ASSAY_EVENTS_URL: eventsUrl,
    ASSAY_QUEUE_URL: queueUrls,
    ASSAY_MASTER_KEY: masterKey,
  };
  const missing = Object.entries(needed).filter(([, value]) => value === null);
  if (missing.length === 0) return;
  const names = missing.map(([name]) => name).join(", ");
  throw new SettingsError(
    `ASSAY_ROLE=${role} runs with other processes, and all of them must share engines and a key: set ${names}.`,
  );
}

function parseQueue(text: string | undefined): readonly string[] | null {
  if (text === undefined || text === "embedded") return null;
  return text.split(",").map((url) => parseUrl("ASSAY_QUEUE_URL", url.trim(), ["nats:", "tls:"]));
}

function rejectUnknown(env: Environment): void {
  const known = new Set([...SETTINGS.map(({ name }) => name), ...FOREIGN]);
  for (const name of Object.keys(env)) {
    if (!name.startsWith("ASSAY_") || name.startsWith("ASSAY_TEST_") || known.has(name)) continue;
    throw new SettingsError(
      `${name} is not a setting of Assay: unset it, or see \`npm run assay -- doctor\` for the list.`,
    );
  }
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new SettingsError(`ASSAY_PORT must be a whole number from 0 to 65535, not "${text}".`);
}

/** Resolves a relative folder from the current directory. */
function parseFolder(text: string): string {
  return isAbsolute(text) ? text : resolve(process.cwd(), text);
}

function parseEngine(name: string, text: string | undefined, protocols: readonly string[]): string | null {
  return text === undefined || text === "embedded" ? null : parseUrl(name, text, protocols);
}

function parseProxies(text: string | undefined): readonly string[] {
  return text === undefined ? [] : parseNetworks("ASSAY_TRUSTED_PROXIES", text);
}

function parseHosts(read: ReadSetting): Pick<Settings, "publicUrl" | "allowedHosts"> {
  const [url, hosts] = [read("ASSAY_PUBLIC_URL"), read("ASSAY_ALLOWED_HOSTS")];
  const publicUrl = url === undefined ? null : parseOrigin("ASSAY_PUBLIC_URL", url);
  if (hosts === undefined) return { publicUrl, allowedHosts: null };
  const names = hosts.split(",").map((host) => asciiLowerCase(host.trim()));
  // The URL parser accepts a wildcard as a name, but no request would ever match it.
  const bad = names.find((name) => name.includes("*") || URL.parse(`http://${name}`)?.hostname !== name);
  if (bad !== undefined)
    throw new SettingsError(
      `ASSAY_ALLOWED_HOSTS must be host names without ports or wildcards, separated by commas, not "${bad}".`,
    );
  return { publicUrl, allowedHosts: publicUrl === null ? names : [...names, new URL(publicUrl).hostname] };
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
  const emails = text.split(",").map((email) => asciiLowerCase(email.trim()));
  if (emails.every((email) => /^[^@\s]+@[^@\s]+$/.test(email))) return emails;
  throw new SettingsError("ASSAY_PLATFORM_OWNER_EMAILS must be emails separated by commas.");
}

function parseTime(text: string): number {
  const match = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text);
  if (match) return Number(match[1]) * 60 + Number(match[2]);
  throw new SettingsError(`ASSAY_NIGHTLY_AT must be a UTC time such as 00:15, not "${text}".`);
}

function parseDelay(text: string): number {
  if (/^\d{1,2}$/.test(text)) return Number(text) * 1_000;
  throw new SettingsError(`ASSAY_STOP_DELAY_SECONDS must be a whole number from 0 to 99, not "${text}".`);
}

function parseRates(read: ReadSetting): RateSettings {
  const rate = (name: string, byDefault: string) => parseCount(name, read(name) ?? byDefault);
  return {
    assignPerSecond: rate("ASSAY_RATE_ASSIGN_PER_SECOND", "2000"),
    eventsPerSecond: rate("ASSAY_RATE_EVENTS_PER_SECOND", "1000"),
    publicRowsPerSecond: rate("ASSAY_RATE_PUBLIC_ROWS_PER_SECOND", "20000"),
    publicBytesPerSecond: rate("ASSAY_RATE_PUBLIC_BYTES_PER_SECOND", "8388608"),
    rowsPerSecond: rate("ASSAY_RATE_ROWS_PER_SECOND", "100000"),
    bytesPerSecond: rate("ASSAY_RATE_BYTES_PER_SECOND", "67108864"),
    configPerSecond: rate("ASSAY_RATE_CONFIG_PER_SECOND", "1000"),
    businessEventsPerSecond: rate("ASSAY_RATE_BUSINESS_EVENTS_PER_SECOND", "1000"),
    importPerMinute: rate("ASSAY_RATE_IMPORT_PER_MINUTE", "10"),
    analysesPerMinute: rate("ASSAY_RATE_ANALYSES_PER_MINUTE", "30"),
    searchesPerMinute: rate("ASSAY_RATE_SEARCHES_PER_MINUTE", "60"),
  };
}

import { environment } from "#platform";
import { ClientLog, type Log } from "./client-log.ts";
import { type Schedule, scheduleTimer } from "./schedule.ts";
import type { Fetch } from "./transport.ts";
import { uuidv7 } from "./uuidv7.ts";

export interface ClientOptions {
  /** Default: the environment variable ASSAY_API_KEY. */
  readonly apiKey?: string;
  /** Default: the environment variable ASSAY_BASE_URL, else the production API. */
  readonly baseUrl?: string;
  /** Names or ids that `ready()` waits for. */
  readonly experiments?: readonly string[];
  /** Default true: `assign` records an exposure. */
  readonly trackExposures?: boolean;
  /** Default 5 s. */
  readonly flushIntervalMs?: number;
  /** Default 60 s; each poll varies by 10 %. */
  readonly pollIntervalMs?: number;
  /** A config to begin with: `configSnapshot()` of the client on the server that rendered the page. */
  readonly bootstrap?: unknown;
  /**
   * Where events wait that cannot be delivered, for at most 24 h: in Node a folder (default: none), in a browser false
   * for none (default: IndexedDB).
   */
  readonly offlineStore?: string | boolean;
  /** The `waitUntil` of a serverless platform: it is handed a promise that ends when tracked events are sent. */
  readonly waitUntil?: (work: Promise<unknown>) => void;
  /** Rewrites the text of wrapped model calls before it is sent; null withholds it. */
  readonly mask?: (text: string, part: "prompt" | "response") => string | null;
  /** Default `console`. */
  readonly log?: Log;
  readonly fetch?: Fetch;
  /** The time of events in epoch milliseconds: a replay sets it. Waits do not depend on it. */
  readonly now?: () => number;
  /** Makes event ids; default UUIDv7. */
  readonly newId?: () => string;
  /** Runs every wait: tests set it. */
  readonly schedule?: Schedule;
}

type Optional = "bootstrap" | "offlineStore" | "waitUntil" | "mask";

export type ClientSettings = Required<Omit<ClientOptions, Optional | "log">> &
  Pick<ClientOptions, Optional> & { readonly log: ClientLog };

const PRODUCTION_URL = "https://api.assay.dev";

/** Fills in the defaults of the options; throws when there is no API key. */
export function resolveOptions(options: ClientOptions): ClientSettings {
  const standards = {
    apiKey: "",
    baseUrl: "",
    experiments: [],
    trackExposures: true,
    flushIntervalMs: 0,
    pollIntervalMs: 0,
    bootstrap: null,
    offlineStore: undefined,
    waitUntil: undefined,
    mask: undefined,
    log: console,
    // Called late and with its own `this`, which browsers insist on.
    fetch: (url: string, init: RequestInit) => globalThis.fetch(url, init),
    now: Date.now,
    newId: () => uuidv7(settings.now()),
    schedule: scheduleTimer,
  };
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const settings = { ...standards, ...Object.fromEntries(given) };
  const { apiKey, baseUrl, experiments, flushIntervalMs, pollIntervalMs } = settings;
  const log = new ClientLog(settings.log, settings.schedule);
  for (const [name] of given) if (!(name in standards)) log.once("warn", `unknown option: ${name}`);
  const key = apiKey || environment("ASSAY_API_KEY");
  if (!key) throw new Error("Assay needs an API key: pass apiKey or set ASSAY_API_KEY.");
  return {
    ...settings,
    apiKey: key,
    baseUrl: `${baseUrl || environment("ASSAY_BASE_URL") || PRODUCTION_URL}`.replace(/\/+$/, ""),
    // A plain name is a likely slip in JavaScript.
    experiments: [experiments].flat(),
    flushIntervalMs: flushIntervalMs > 0 ? flushIntervalMs : 5_000,
    pollIntervalMs: pollIntervalMs > 0 ? pollIntervalMs : 60_000,
    log,
  };
}

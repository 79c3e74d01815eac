import type { Log } from "./client-log.ts";
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

export type ClientSettings = Required<Omit<ClientOptions, Optional>> &
  Pick<ClientOptions, Optional> & { readonly unknownOptions: readonly string[] };

const PRODUCTION_URL = "https://api.assay.dev";

const KNOWN_OPTIONS: Readonly<Record<keyof ClientOptions, true>> = {
  apiKey: true,
  baseUrl: true,
  experiments: true,
  trackExposures: true,
  flushIntervalMs: true,
  pollIntervalMs: true,
  bootstrap: true,
  offlineStore: true,
  waitUntil: true,
  mask: true,
  log: true,
  fetch: true,
  now: true,
  newId: true,
  schedule: true,
};

/** Fills in the defaults of the options; throws when there is no API key. */
export function resolveOptions(options: ClientOptions): ClientSettings {
  const apiKey = options.apiKey || environment("ASSAY_API_KEY");
  if (!apiKey) throw new Error("Assay needs an API key: pass apiKey, or set ASSAY_API_KEY.");
  const baseUrl = options.baseUrl || environment("ASSAY_BASE_URL") || PRODUCTION_URL;
  const now = options.now ?? Date.now;
  return {
    apiKey,
    baseUrl: String(baseUrl).replace(/\/+$/, ""),
    // A plain name is a likely slip in JavaScript.
    experiments: [options.experiments ?? []].flat(),
    trackExposures: options.trackExposures ?? true,
    flushIntervalMs: intervalOr(options.flushIntervalMs, 5_000),
    pollIntervalMs: intervalOr(options.pollIntervalMs, 60_000),
    bootstrap: options.bootstrap,
    offlineStore: options.offlineStore,
    waitUntil: options.waitUntil,
    mask: options.mask,
    log: options.log ?? console,
    // Called late and with its own `this`, which browsers insist on.
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    now,
    newId: options.newId ?? (() => uuidv7(now())),
    schedule: options.schedule ?? scheduleTimer,
    unknownOptions: Object.keys(options).filter((name) => !Object.hasOwn(KNOWN_OPTIONS, name)),
  };
}

/** Browsers have no `process`, and some bundlers give them one without `env`. */
function environment(name: string): string | undefined {
  return typeof process === "undefined" ? undefined : process.env?.[name];
}

function intervalOr(intervalMs: number | undefined, standardMs: number): number {
  return intervalMs !== undefined && intervalMs > 0 ? intervalMs : standardMs;
}

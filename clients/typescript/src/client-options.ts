import type { ClientLog, Log } from "./client-log.ts";
import type { Schedule } from "./schedule.ts";
import type { Fetch, TransportSettings } from "./transport.ts";

export interface ClientOptions {
  /** Default: the environment variable ASSAY_API_KEY. */
  readonly apiKey?: string | undefined;
  /** Default: the environment variable ASSAY_BASE_URL, else the production API. */
  readonly baseUrl?: string | undefined;
  /** Names or ids that `ready()` waits for. */
  readonly experiments?: readonly string[] | undefined;
  /** Default true: `assign` records an exposure. */
  readonly trackExposures?: boolean | undefined;
  /** Default 5 s. */
  readonly flushIntervalMs?: number | undefined;
  /** Default 60 s; each poll varies by 10%. */
  readonly pollIntervalMs?: number | undefined;
  /**
   * Default false. True: a request for the config stays open until the config changes, so that a change arrives within seconds.
   * Node only.
   */
  readonly longPoll?: boolean | undefined;
  /** A config to start with: `configSnapshot()` of the client on the server that rendered the page. */
  readonly bootstrap?: unknown;
  /**
   * Where undeliverable events wait, for at most 24 h. In Node: a folder (default: none). In a browser: false
   * for none (default: IndexedDB).
   */
  readonly offlineStore?: string | boolean | undefined;
  /**
   * Default false. True: an event is in the folder of `offlineStore` before `track` returns, so it survives whatever ends the
   * process. Node only.
   */
  readonly durable?: boolean | undefined;
  /**
   * The `waitUntil` of a serverless platform. The client passes it a promise that resolves when tracked
   * events are sent.
   */
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined;
  /** Rewrites the text of wrapped model calls before it is sent; null withholds it. */
  readonly mask?: ((text: string, part: "prompt" | "response") => string | null) | undefined;
  /** Default `console`. */
  readonly log?: Log | undefined;
  readonly fetch?: Fetch | undefined;
  /** The time of events in epoch milliseconds, for a replay; never corrected. Does not affect waits. */
  readonly now?: (() => number) | undefined;
  /** Makes event ids; default UUIDv7. */
  readonly newId?: (() => string) | undefined;
  /** Runs every wait; set by tests. */
  readonly schedule?: Schedule | undefined;
}

/** The options of the whole client. Its core, for pages where every kilobyte counts, has no such. */
export interface FullClientOptions extends ClientOptions {
  /**
   * Forces variants, by the experiment's name or id, for all users of this client. Events are marked as tests and left
   * out of the analysis.
   */
  readonly overrides?: Readonly<Record<string, string>> | undefined;
  /** Default false. True: a page's address may force variants too, `?assay=experiment:variant,…`. */
  readonly urlOverrides?: boolean | undefined;
  /** Default false. True: the client needs no key, makes no request and drops events; `bootstrap` is its config. */
  readonly offline?: boolean | undefined;
}

type Optional = "bootstrap" | "offlineStore" | "durable" | "longPoll" | "waitUntil" | "mask";

/** The options with their defaults filled in. */
export type ClientSettings = Required<Omit<ClientOptions, Optional | "log">> &
  Pick<ClientOptions, Optional> &
  Pick<TransportSettings, "noteDate"> & { readonly log: ClientLog };

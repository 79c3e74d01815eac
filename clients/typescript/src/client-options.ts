import type { ClientLog, Log } from "./client-log.ts";
import type { Schedule } from "./schedule.ts";
import type { Fetch, TransportSettings } from "./transport.ts";

export interface ClientOptions {
  /** Default: the environment variable ASSAY_API_KEY. */
  readonly apiKey?: string | undefined;
  /** Default: the environment variable ASSAY_BASE_URL, or else the production API. */
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
   * Default false. True: a config request stays open until the config changes, so that changes arrive within seconds.
   * Node only.
   */
  readonly longPoll?: boolean | undefined;
  /** A config to start with: the `configSnapshot()` of another client, for example on the server that rendered the page. */
  readonly bootstrap?: unknown;
  /**
   * Where undeliverable events are stored, for at most 24 h. In Node: a folder (default: none). In a browser: false for
   * none (default: IndexedDB).
   */
  readonly offlineStore?: string | boolean | undefined;
  /**
   * Default false. True: each event is written to the `offlineStore` folder before `track` returns, so it survives any
   * end of the process. Node only.
   */
  readonly durable?: boolean | undefined;
  /**
   * The `waitUntil` of a serverless platform. The client passes it a promise that resolves when tracked
   * events are sent.
   */
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined;
  /** Rewrites the texts of observed model calls before they are sent. Return null to withhold a text. */
  readonly mask?: ((text: string, part: "prompt" | "response") => string | null) | undefined;
  /** Default `console`. */
  readonly log?: Log | undefined;
  readonly fetch?: Fetch | undefined;
  /** The time of events in epoch milliseconds, for a replay. It is never corrected and does not affect waits. */
  readonly now?: (() => number) | undefined;
  /** Makes event ids; default UUIDv7. */
  readonly newId?: (() => string) | undefined;
  /** Runs every wait; set by tests. */
  readonly schedule?: Schedule | undefined;
}

/** The options of the full client. `@assay/client/core`, for pages where every kilobyte counts, lacks these. */
export interface FullClientOptions extends ClientOptions {
  /**
   * Forces variants, by the experiment's name or id, for all users of this client. Events are marked as tests, which
   * the analysis leaves out.
   */
  readonly overrides?: Readonly<Record<string, string>> | undefined;
  /** Default false. True: the page's address may force variants too, with `?assay=experiment:variant,…`. */
  readonly urlOverrides?: boolean | undefined;
  /** Default false. True: the client needs no key, makes no requests and drops events. It assigns from `bootstrap`. */
  readonly offline?: boolean | undefined;
}

type Optional = "bootstrap" | "offlineStore" | "durable" | "longPoll" | "waitUntil" | "mask";

/** The options with their defaults filled in. */
export type ClientSettings = Required<Omit<ClientOptions, Optional | "log">> &
  Pick<ClientOptions, Optional> &
  Pick<TransportSettings, "noteDate"> & { readonly log: ClientLog };

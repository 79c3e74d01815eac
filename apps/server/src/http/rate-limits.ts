import {
  type Clock,
  DomainError,
  fullBucket,
  type RateLimit,
  returnToken,
  type TokenBucket,
  takeToken,
  toRetrySeconds,
} from "@assay/domain";
import type { KeyHolder } from "../config/key-ring.ts";

/** The rates that can be set. Each allows bursts of twice the rate. */
export interface RateSettings {
  readonly assignPerSecond: number;
  readonly eventsPerSecond: number;
  readonly publicRowsPerSecond: number;
  readonly publicBytesPerSecond: number;
  readonly rowsPerSecond: number;
  readonly bytesPerSecond: number;
  readonly configPerSecond: number;
  readonly businessEventsPerSecond: number;
  readonly importPerMinute: number;
  readonly analysesPerMinute: number;
  readonly searchesPerMinute: number;
}

/** One limit, with a bucket for each `K`. */
export interface RateLimiter<K> {
  /** Takes one request, or `count` rows or bytes. Throws `rate-limited` when none is left. */
  take(key: K, count?: number): void;
  /** Takes like `take`, but returns whether something was left instead of throwing. */
  tryTake(key: K, count?: number): boolean;
  /** Gives back one request, or `count` rows or bytes, that should not count after all. */
  giveBack(key: K, count?: number): void;
}

/** The limits of the ingest plane (contract §6) and of costly requests. Each process counts by itself. */
export interface RateLimits {
  readonly assign: RateLimiter<KeyHolder>;
  readonly events: RateLimiter<KeyHolder>;
  /** Publishable keys only. */
  readonly publicRows: RateLimiter<KeyHolder>;
  /** Publishable keys only: bytes of bodies to `assign` and `events`, decompressed. */
  readonly publicBytes: RateLimiter<KeyHolder>;
  /** Secret keys only. */
  readonly rows: RateLimiter<KeyHolder>;
  readonly bytes: RateLimiter<KeyHolder>;
  readonly config: RateLimiter<KeyHolder>;
  readonly import: RateLimiter<KeyHolder>;
  /** By org, once its signature is verified. */
  readonly businessEvents: RateLimiter<string>;
  /** By org: analyses that a person starts. Each reads all events of an experiment. */
  readonly analyses: RateLimiter<string>;
  /** By org: text searches. Each reads the texts of all raw events of an experiment. */
  readonly searches: RateLimiter<string>;
  /** By org: messages that a person sends to alert channels. */
  readonly alertAttempts: RateLimiter<string>;
  /** By IP address, for signatures that do not verify. */
  readonly signatures: RateLimiter<string>;
}

/** Test messages and replays per minute of an org. */
const ALERT_ATTEMPTS_PER_MINUTE = 10;
/** Failed signature checks per second and address. */
const SIGNATURES_PER_SECOND = 100;
/** Orgs and addresses whose buckets are kept. The oldest are dropped first. */
const MAX_BUCKETS = 10_000;

/** Creates the limiters with full buckets. */
export function createRateLimits(rates: RateSettings, clock: Clock): RateLimits {
  const perSecond = (policy: string, quota: number): RateLimit => ({ policy, quota, windowSeconds: 1 });
  const perMinute = (policy: string, quota: number): RateLimit => ({ policy, quota, windowSeconds: 60 });
  const byOrg = (limit: RateLimit, what?: string) =>
    limiter<string>(limit, { buckets: boundedMap(), who: "this organization", what, clock });
  const byKey = (limit: RateLimit, what?: string) =>
    limiter<KeyHolder>(limit, { buckets: new WeakMap(), who: "this key", what, clock });
  return {
    assign: byKey(perSecond("assign", rates.assignPerSecond)),
    events: byKey(perSecond("events", rates.eventsPerSecond)),
    publicRows: byKey(perSecond("public-rows", rates.publicRowsPerSecond), "rows"),
    publicBytes: byKey(perSecond("public-bytes", rates.publicBytesPerSecond), "bytes"),
    rows: byKey(perSecond("rows", rates.rowsPerSecond), "rows"),
    bytes: byKey(perSecond("bytes", rates.bytesPerSecond), "bytes"),
    config: byKey(perSecond("config", rates.configPerSecond)),
    import: byKey(perMinute("import", rates.importPerMinute)),
    businessEvents: byOrg(perSecond("business-events", rates.businessEventsPerSecond)),
    analyses: byOrg(perMinute("analyses", rates.analysesPerMinute), "analyses"),
    searches: byOrg(perMinute("searches", rates.searchesPerMinute), "searches"),
    alertAttempts: byOrg(perMinute("alert-attempts", ALERT_ATTEMPTS_PER_MINUTE), "messages"),
    signatures: byNetwork(
      limiter(perSecond("signatures", SIGNATURES_PER_SECOND), {
        buckets: boundedMap(),
        who: "your address, signatures that do not verify",
        clock,
      }),
    ),
  };
}

interface Buckets<K> {
  get(key: K): TokenBucket | undefined;
  set(key: K, bucket: TokenBucket): unknown;
}

interface LimiterParts<K> {
  readonly buckets: Buckets<K>;
  readonly who: string;
  /** What is limited. Default: requests. */
  readonly what?: string | undefined;
  readonly clock: Clock;
}

function limiter<K>(
  limit: RateLimit,
  { buckets, who, what = "requests", clock }: LimiterParts<K>,
): RateLimiter<K> {
  /** Returns 0, or the milliseconds to wait. */
  const takeOrWait = (key: K, count?: number): number => {
    const now = clock.now();
    let bucket = buckets.get(key);
    if (bucket === undefined) {
      bucket = fullBucket(limit, now);
      buckets.set(key, bucket);
    }
    return takeToken(bucket, limit, now, count);
  };
  return {
    take(key, count) {
      const waitMs = takeOrWait(key, count);
      if (waitMs > 0) throw rateLimited(limit, { who, what }, waitMs);
    },
    tryTake: (key, count) => takeOrWait(key, count) === 0,
    giveBack(key, count) {
      const bucket = buckets.get(key);
      if (bucket) returnToken(bucket, limit, count);
    },
  };
}

function rateLimited(
  limit: RateLimit,
  { who, what }: { readonly who: string; readonly what: string },
  waitMs: number,
): DomainError {
  const retryAfterSeconds = toRetrySeconds(waitMs);
  const window = limit.windowSeconds === 1 ? "a second" : "a minute";
  return new DomainError(
    "rate-limited",
    `The limit of ${limit.quota} ${what} ${window} for ${who} is reached: try again in ${retryAfterSeconds} s.`,
    { retryAfterSeconds, limit },
  );
}

function boundedMap(): Buckets<string> {
  const buckets = new Map<string, TokenBucket>();
  return {
    get: (key) => buckets.get(key),
    set(key, bucket) {
      for (const oldest of buckets.keys()) {
        if (buckets.size < MAX_BUCKETS) break;
        buckets.delete(oldest);
      }
      buckets.set(key, bucket);
    },
  };
}

/** One customer's connection has 2^64 IPv6 addresses, so they share a bucket. */
function byNetwork(addresses: RateLimiter<string>): RateLimiter<string> {
  return {
    take: (address) => addresses.take(networkOf(address)),
    tryTake: (address) => addresses.tryTake(networkOf(address)),
    giveBack: (address) => addresses.giveBack(networkOf(address)),
  };
}

/** Returns the /64 network of an IPv6 address. Returns an IPv4 address, also one mapped into IPv6, unchanged. */
export function networkOf(address: string): string {
  const ipv4 = /^(?:::ffff:)?([\d.]+)$/i.exec(address)?.[1];
  if (ipv4 !== undefined) return ipv4;
  const [before = "", after] = address.split("::");
  const head = before === "" ? [] : before.split(":");
  const tail = after === undefined || after === "" ? [] : after.split(":");
  const zeros = new Array<string>(Math.max(0, 8 - head.length - tail.length)).fill("0");
  return [...head, ...zeros, ...tail].slice(0, 4).join(":");
}

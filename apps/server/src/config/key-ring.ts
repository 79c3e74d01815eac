import { hash } from "node:crypto";
import { type ControlPlane, isStorageUnavailable, type KeyScope } from "@assay/domain";
import { isSameSecret } from "../is-same-secret.ts";
import type { ChangeFeed } from "./change-feed.ts";
import { coalesceReads } from "./coalesce-reads.ts";

export interface KeyHolder {
  readonly orgId: string;
  readonly scope: KeyScope;
  /** The first characters of the raw key, as lists of keys show them. */
  readonly prefix: string;
  /** Distinguishes the key from the org's earlier keys of the scope. */
  readonly hash: string;
  /** Origins of the pages that may use it; null: any. */
  readonly allowedOrigins: readonly string[] | null;
}

/** Resolves API keys to their org. Known keys answer from memory. */
export interface KeyRing {
  /** Returns the holder, or null for an unknown key. Returns a promise only when it must query the control plane. */
  resolve(rawKey: string): KeyHolder | null | Promise<KeyHolder | null>;
  /** Returns the holder of a known key if no query is needed, else null. */
  peek(rawKey: string): KeyHolder | null;
  /** Forgets the org's keys, after one of them changed. */
  forget(orgId: string): void;
}

/** Literal prefixes of the spec (§2). */
export const KEY_PREFIX: Readonly<Record<KeyScope, string>> = { publishable: "svc_pk_", secret: "svc_sk_" };

/** Whether a credential is meant to be an API key. No session token and no service token starts like one. */
export function isApiKey(credential: string): boolean {
  return Object.values(KEY_PREFIX).some((prefix) => credential.startsWith(prefix));
}

/** Longer keys are refused without hashing them. */
const MAX_KEY_LENGTH = 200;
/** How many unknown keys are remembered, so that a flood of one bad key does not reach the database. */
const MAX_UNKNOWN = 1_000;
/** How many known keys are remembered by their text, which saves hashing them. */
const MAX_RECENT = 10_000;
/** How long the hot paths wait for the database to return the key epoch. */
const EPOCH_TIMEOUT_MS = 1_000;

/** Enough characters to tell keys apart: the scope's prefix and five of the 43 random ones. */
const SHOWN = 12;

/** Returns the part of a raw key that may be shown and stored. */
export function keyPrefixOf(rawKey: string): string {
  return rawKey.slice(0, SHOWN);
}

/** Hashes a raw key for lookup. Keys are 256 random bits, so the hash needs no salt and leaks nothing by timing. */
export function hashKey(rawKey: string): string {
  return hash("sha256", rawKey, "hex");
}

/**
 * Makes the key ring over the key store. When other processes write to the same database, the feed reports their rotations. While the feed
 * is not current, cached keys count only after a read of the key epoch that began after the request arrived. So a rotation in any process
 * takes effect within a second, or from the next request if the caller waited for it.
 */
export function createKeyRing(
  control: Pick<ControlPlane, "keys" | "isShared">,
  changes: Pick<ChangeFeed, "isCurrent" | "subscribe">,
): KeyRing {
  const { isShared } = control;
  let known = new Map<string, KeyHolder>();
  /** The keys known before the last rotation elsewhere. An unchanged key keeps its holder object, because rate limits count by holder. */
  let knownBefore: ReadonlyMap<string, KeyHolder> = new Map();
  const unknown = new Set<string>();
  /** Keys that `peek` found, by their shown prefix. Hashing a key takes a tenth of the time of a request answered from memory. */
  const recent = new Map<string, { readonly sent: Buffer; readonly holder: KeyHolder }>();
  /** Counts rotations: a result read before one must not be cached after it. */
  let generation = 0;

  async function load(keyHash: string, prefix: string): Promise<KeyHolder | null> {
    const asOf = generation;
    const stored = await control.keys.findByHash(keyHash);
    if (asOf !== generation) return load(keyHash, prefix);
    if (stored === null) {
      if (unknown.size >= MAX_UNKNOWN) unknown.clear();
      unknown.add(keyHash);
      return null;
    }
    const { orgId, scope, allowedOrigins } = stored;
    const before = known.get(keyHash) ?? knownBefore.get(keyHash);
    const isSame = before !== undefined && String(before.allowedOrigins) === String(allowedOrigins);
    const holder = isSame ? before : { orgId, scope, prefix, hash: keyHash, allowedOrigins };
    known.set(keyHash, holder);
    return holder;
  }

  function lookUp(keyHash: string, prefix: string): KeyHolder | null | Promise<KeyHolder | null> {
    const holder = known.get(keyHash);
    if (holder) return holder;
    return unknown.has(keyHash) ? null : load(keyHash, prefix);
  }

  function remember(prefix: string, one: { readonly sent: Buffer; readonly holder: KeyHolder }): void {
    if (recent.size >= MAX_RECENT) recent.clear();
    recent.set(prefix, one);
  }

  function forgetAll(): void {
    generation += 1;
    knownBefore = known;
    known = new Map();
    recent.clear();
    unknown.clear();
  }

  function forget(orgId: string): void {
    generation += 1;
    for (const [keyHash, holder] of known) if (holder.orgId === orgId) known.delete(keyHash);
    recent.clear();
    unknown.clear();
  }

  const epoch = watchEpoch(control, forgetAll);
  changes.subscribe("keys", (orgId) => (orgId === null ? forgetAll() : forget(orgId)));

  return {
    resolve(rawKey) {
      if (rawKey.length > MAX_KEY_LENGTH) return null;
      const [keyHash, prefix] = [hashKey(rawKey), keyPrefixOf(rawKey)];
      if (!isShared || changes.isCurrent()) return lookUp(keyHash, prefix);
      const read = epoch.read();
      if (!epoch.isSilent()) return read.then(() => lookUp(keyHash, prefix));
      read.catch(() => {}); // The next request that waits gets the same error.
      return lookUp(keyHash, prefix);
    },
    peek(rawKey) {
      if (rawKey.length > MAX_KEY_LENGTH || (isShared && !changes.isCurrent())) return null;
      const prefix = keyPrefixOf(rawKey);
      const sent = Buffer.from(rawKey);
      const last = recent.get(prefix);
      if (last !== undefined && isSameSecret(last.sent, sent)) return last.holder;
      const holder = known.get(hashKey(rawKey));
      if (holder !== undefined) remember(prefix, { sent, holder });
      return holder ?? null;
    },
    forget,
  };
}

interface EpochWatch {
  /** Resolves when a read that began after the call has ended, even if the control plane is out of reach. */
  read(): Promise<void>;
  /** Whether the last read timed out, so that waiting is pointless. */
  isSilent(): boolean;
}

/**
 * Reads the key epoch and calls `onChange` when it has changed. Without the database nobody can rotate a key either, so the known keys
 * stay valid during an outage. A refused connection fails at once; a database that does not answer delays one request per second.
 */
function watchEpoch({ keys }: Pick<ControlPlane, "keys">, onChange: () => void): EpochWatch {
  let last: number | null = null;
  let isSilent = false;

  const read = coalesceReads(async () => {
    const found = await inTime(keys.getEpoch()).finally(() => {
      isSilent = false;
    });
    isSilent = found === "silence";
    if (typeof found !== "number" || found === last) return;
    last = found;
    onChange();
  });
  return { read, isSilent: () => isSilent };
}

function inTime(epoch: Promise<number>): Promise<number | "silence" | "outage"> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve("silence"), EPOCH_TIMEOUT_MS);
    const end =
      <T>(settle: (value: T) => void) =>
      (value: T) => {
        clearTimeout(timer);
        settle(value);
      };
    epoch.catch(toOutage).then(end(resolve), end(reject));
  });
}

function toOutage(error: unknown): "outage" {
  if (isStorageUnavailable(error)) return "outage";
  throw error;
}

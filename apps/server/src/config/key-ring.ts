import { hash } from "node:crypto";
import { type ControlPlane, DomainError, type KeyScope } from "@assay/domain";
import type { ChangeFeed } from "./change-feed.ts";
import { coalesceReads } from "./coalesce-reads.ts";

export interface KeyHolder {
  readonly orgId: string;
  readonly scope: KeyScope;
  /** Tells the key from the org's earlier ones of the scope. */
  readonly hash: string;
}

/** Resolves API keys to their org. Known keys answer from memory. */
export interface KeyRing {
  /** The holder, null for an unknown key; a promise only when the control plane has to be asked. */
  resolve(rawKey: string): KeyHolder | null | Promise<KeyHolder | null>;
  /** Forgets the org's keys: after a rotation. */
  forget(orgId: string): void;
}

/** Raw keys are this long at most: anything longer is refused unhashed. */
const MAX_KEY_LENGTH = 200;
/** Unknown keys are remembered so that a flood of one bad key does not reach the database; bounded. */
const MAX_UNKNOWN = 1_000;
/** A database that leaves the question for the epoch unanswered this long must not hold up the hot paths. */
const EPOCH_MS = 1_000;

/** Hashes a raw key for look-up. The hash is of a random 256-bit key, so it needs no salt and leaks nothing by timing. */
export function hashKey(rawKey: string): string {
  return hash("sha256", rawKey, "hex");
}

/**
 * Makes the key ring over the key store. Where other processes write to the same database, the feed tells of their rotations.
 * While it is not current, what is known counts only after the epoch was read, by a read that began after the request came: so a
 * rotation anywhere holds within a second, and from the next request on once it was waited for.
 */
export function createKeyRing(
  control: Pick<ControlPlane, "keys" | "isShared">,
  changes: Pick<ChangeFeed, "isCurrent" | "subscribe">,
): KeyRing {
  const { isShared } = control;
  let known = new Map<string, KeyHolder>();
  /** Known before the last rotation elsewhere: the same key keeps its holder, which its rate is counted by. */
  let knownBefore: ReadonlyMap<string, KeyHolder> = new Map();
  const unknown = new Set<string>();
  /** Counts rotations: what was read before one must not be kept after it. */
  let generation = 0;

  async function load(keyHash: string): Promise<KeyHolder | null> {
    const asOf = generation;
    const stored = await control.keys.findByHash(keyHash);
    if (asOf !== generation) return load(keyHash);
    if (stored === null) {
      if (unknown.size >= MAX_UNKNOWN) unknown.clear();
      unknown.add(keyHash);
      return null;
    }
    const holder = known.get(keyHash) ??
      knownBefore.get(keyHash) ?? { orgId: stored.orgId, scope: stored.scope, hash: keyHash };
    known.set(keyHash, holder);
    return holder;
  }

  function lookUp(keyHash: string): KeyHolder | null | Promise<KeyHolder | null> {
    const holder = known.get(keyHash);
    if (holder) return holder;
    return unknown.has(keyHash) ? null : load(keyHash);
  }

  function forgetAll(): void {
    generation += 1;
    knownBefore = known;
    known = new Map();
    unknown.clear();
  }

  function forget(orgId: string): void {
    generation += 1;
    for (const [keyHash, holder] of known) if (holder.orgId === orgId) known.delete(keyHash);
    unknown.clear();
  }

  const epoch = watchEpoch(control, forgetAll);
  changes.subscribe("keys", (orgId) => (orgId === null ? forgetAll() : forget(orgId)));

  return {
    resolve(rawKey) {
      if (rawKey.length > MAX_KEY_LENGTH) return null;
      const keyHash = hashKey(rawKey);
      if (!isShared || changes.isCurrent()) return lookUp(keyHash);
      const read = epoch.read();
      if (!epoch.isSilent()) return read.then(() => lookUp(keyHash));
      read.catch(() => {}); // The next request that waits meets the same fault.
      return lookUp(keyHash);
    },
    forget,
  };
}

interface EpochWatch {
  /** Resolves once a read that began after the call has ended, also when the control plane is out of reach. */
  read(): Promise<void>;
  /** Whether the last read was given up: then there is nothing to wait for. */
  isSilent(): boolean;
}

/**
 * Reads the key epoch and calls `onChange` when it is another. Without a database there is no rotation either, so an outage
 * leaves what is known in force: each request notices a refused connection, and silence costs one question in each second.
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
    const timer = setTimeout(() => resolve("silence"), EPOCH_MS);
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
  if (error instanceof DomainError && error.kind === "storage-unavailable") return "outage";
  throw error;
}

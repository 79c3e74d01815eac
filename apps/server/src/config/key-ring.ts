import { hash } from "node:crypto";
import type { ControlPlane, KeyScope } from "@assay/domain";

export interface KeyHolder {
  readonly orgId: string;
  readonly scope: KeyScope;
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

/** Hashes a raw key for look-up. The hash is of a random 256-bit key, so it needs no salt and leaks nothing by timing. */
export function hashKey(rawKey: string): string {
  return hash("sha256", rawKey, "hex");
}

/** Makes the key ring over the key store. */
export function createKeyRing(control: Pick<ControlPlane, "keys">): KeyRing {
  const known = new Map<string, KeyHolder>();
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
    const holder = { orgId: stored.orgId, scope: stored.scope };
    known.set(keyHash, holder);
    return holder;
  }

  return {
    resolve(rawKey) {
      if (rawKey.length > MAX_KEY_LENGTH) return null;
      const keyHash = hashKey(rawKey);
      const holder = known.get(keyHash);
      if (holder) return holder;
      return unknown.has(keyHash) ? null : load(keyHash);
    },
    forget(orgId) {
      generation += 1;
      for (const [keyHash, holder] of known) if (holder.orgId === orgId) known.delete(keyHash);
      unknown.clear();
    },
  };
}

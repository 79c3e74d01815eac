import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock, ControlPlane } from "@assay/domain";
import type { KeyHolder } from "./key-ring.ts";

/** Notes when keys are used, in memory, and keeps it now and then. */
export interface KeyUses {
  /** Notes that the key is used now: one write into memory, since every request of the hot paths does it. */
  note(holder: KeyHolder): void;
  /** Keeps what was noted. What could not be kept stays noted. */
  flush(): Promise<void>;
}

/** SQLite works on the event loop: 1,000 keys in one transaction hold it up for 50 ms. */
const KEYS_PER_WRITE = 50;

/** Makes the notes over the key store. A crash forgets what was not kept yet. */
export function createKeyUses({
  control,
  clock,
}: {
  readonly control: { readonly keys: Pick<ControlPlane["keys"], "recordUses"> };
  readonly clock: Clock;
}): KeyUses {
  let noted = new Map<KeyHolder, number>();
  return {
    note: (holder) => void noted.set(holder, clock.now()),
    async flush() {
      if (noted.size === 0) return;
      const taken = noted;
      noted = new Map();
      try {
        const uses = [...taken].map(([holder, usedAt]) => ({ ...holder, usedAt }));
        for (let start = 0; start < uses.length; start += KEYS_PER_WRITE) {
          await control.keys.recordUses(uses.slice(start, start + KEYS_PER_WRITE));
          await nextTurn();
        }
      } catch (error) {
        for (const [holder, usedAt] of taken) if (!noted.has(holder)) noted.set(holder, usedAt);
        throw error;
      }
    },
  };
}

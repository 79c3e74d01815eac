import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock, ControlPlane } from "@assay/domain";
import type { KeyHolder } from "./key-ring.ts";

/** Records in memory when keys are used, and stores it from time to time. */
export interface KeyUses {
  /** Records that the key is used now, by a web page or not. Only writes to memory: every request of the hot paths calls it. */
  note(holder: KeyHolder, isBrowser: boolean): void;
  /** Stores what was recorded. If that fails, the records stay in memory. */
  flush(): Promise<void>;
}

/** SQLite runs on the event loop: 1,000 keys in one transaction block it for 50 ms. */
const KEYS_PER_WRITE = 50;

/** Makes the record of key uses over the key store. A crash loses the uses that are not stored yet. */
export function createKeyUses({
  control,
  clock,
}: {
  readonly control: { readonly keys: Pick<ControlPlane["keys"], "recordUses"> };
  readonly clock: Clock;
}): KeyUses {
  let noted = new Map<KeyHolder, number>();
  let browsers = new Map<KeyHolder, number>();
  return {
    note(holder, isBrowser) {
      const now = clock.now();
      noted.set(holder, now);
      if (isBrowser) browsers.set(holder, now);
    },
    async flush() {
      if (noted.size === 0) return;
      const [taken, takenBrowsers] = [noted, browsers];
      noted = new Map();
      browsers = new Map();
      try {
        const uses = [...taken].map(([holder, usedAt]) => {
          const { orgId, scope, hash } = holder;
          return { orgId, scope, hash, usedAt, browserUseAt: takenBrowsers.get(holder) ?? null };
        });
        for (let start = 0; start < uses.length; start += KEYS_PER_WRITE) {
          await control.keys.recordUses(uses.slice(start, start + KEYS_PER_WRITE));
          await nextTurn();
        }
      } catch (error) {
        noted = new Map([...taken, ...noted]);
        browsers = new Map([...takenBrowsers, ...browsers]);
        throw error;
      }
    },
  };
}

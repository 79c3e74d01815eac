import type { KeptEvent, OfflineStore, Replay } from "../offline-store.ts";
import type {
  Database,
  DatabaseRequest,
  KeptRecord,
  ObjectStore,
  PageGlobals,
} from "../platform/page-globals.ts";
import type { StoreSettings } from "../platform.ts";
import { isExpired } from "./is-expired.ts";

const STORE = "events";
const TIME = "occurredAt";
const MAX_EVENTS = 1_000;
const REPLAY_EVENTS = 100;
const OPEN_MS = 5_000;

/**
 * Opens the store. Null when it is off or IndexedDB is missing. `hash` comes from the page: this file is loaded
 * separately and must not import anything that the page already has.
 */
export function openIndexedDb(
  settings: StoreSettings,
  hash: (text: string, seed: number) => number,
): OfflineStore | null {
  try {
    if (settings.offlineStore === false || (globalThis as PageGlobals).indexedDB === undefined) return null;
  } catch {
    return null; // a sandboxed page may not access it
  }
  // The key itself must not be stored in a database.
  return new IndexedDbStore(settings, hash(settings.apiKey, 0).toString(36));
}

/** Keeps events in the IndexedDB of the page's origin. If that fails, as in a private window, it keeps nothing. */
class IndexedDbStore implements OfflineStore {
  readonly #settings: StoreSettings;
  readonly #owner: string;
  #database: Promise<Database> | null = null;
  /** How many events the store held when it was last counted. */
  #count = 0;

  /** `owner` separates the events of different API keys. */
  constructor(settings: StoreSettings, owner: string) {
    this.#settings = settings;
    this.#owner = owner;
  }

  async keep(events: readonly KeptEvent[]): Promise<number> {
    // Not counted first, because a closing page has no time to wait for the count.
    const kept = events.slice(0, Math.max(0, MAX_EVENTS - this.#count));
    const isKept = await this.#run((store) => {
      for (const event of kept) store.put({ ...event, owner: this.#owner });
    });
    return events.length - (isKept ? kept.length : 0);
  }

  forget(records: readonly KeptRecord[]): Promise<unknown> {
    return this.#run((store) => {
      for (const { owner = this.#owner, eventId } of records) store.delete([owner, eventId]);
    });
  }

  async takeReplay(): Promise<Replay | null> {
    const { now, log } = this.#settings;
    let all: DatabaseRequest<KeptRecord[]> | undefined;
    await this.#run((store) => {
      all = store.index(TIME).getAll();
    });
    const records = all?.result ?? [];
    const expired = records.filter((record) => isExpired(record, now()));
    log.count("event given up, over 24 h old", expired.length);
    if (expired.length > 0) void this.forget(expired);
    const own = records.slice(expired.length).filter(({ owner }) => owner === this.#owner);
    // The events stay in the store. Another tab may send them too; the service stores each event once.
    return own.length > 0 ? { events: own.slice(0, REPLAY_EVENTS), release() {} } : null;
  }

  close(): void {
    void this.#database?.then((database) => database.close()).catch(() => {});
  }

  /** Runs `work` in a transaction; resolves whether it succeeded. */
  async #run(work: (store: ObjectStore) => void): Promise<boolean> {
    try {
      this.#database ??= openDatabase();
      const transaction = (await this.#database).transaction(STORE, "readwrite");
      const store = transaction.objectStore(STORE);
      work(store);
      const count = store.count();
      // At once, since a closing page aborts an open transaction.
      transaction.commit();
      await new Promise<void>((resolve, reject) => {
        transaction.oncomplete = () => resolve();
        transaction.onabort = reject;
      });
      this.#count = count.result;
      return true;
    } catch {
      this.#database = null; // the browser may have closed it
      return false;
    }
  }
}

function openDatabase(): Promise<Database> {
  return new Promise((resolve, reject) => {
    const request = (globalThis as PageGlobals).indexedDB!.open("assay-offline", 1);
    request.onupgradeneeded = () =>
      request.result.createObjectStore(STORE, { keyPath: ["owner", "eventId"] }).createIndex(TIME, TIME);
    request.onsuccess = () => resolve(request.result);
    request.onerror = request.onblocked = reject;
    // Some browsers sometimes never answer.
    setTimeout(reject, OPEN_MS);
  });
}

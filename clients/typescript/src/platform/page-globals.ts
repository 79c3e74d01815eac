import type { KeptEvent } from "../offline-store.ts";

/** `owner` separates the events of different API keys. Absent: this client's key. */
export type KeptRecord = KeptEvent & { readonly owner?: string };

/**
 * The few page globals that the client uses. Each is missing in some runtime. Declared here because TypeScript's DOM
 * library would let the service's code use them too.
 */
export interface PageGlobals {
  readonly document?: { readonly visibilityState: string };
  readonly location?: { readonly search: string };
  readonly localStorage?: PageStorage;
  readonly indexedDB?: { open(name: string, version: number): OpenRequest };
  addEventListener?(
    type: string,
    listener: (event: { type: string }) => void,
    options: { capture: boolean; signal: AbortSignal },
  ): void;
}

export interface PageStorage {
  getItem(name: string): string | null;
  setItem(name: string, text: string): void;
}

export interface DatabaseRequest<Result> {
  readonly result: Result;
  onsuccess: (() => void) | null;
  onerror: (() => void) | null;
}

interface OpenRequest extends DatabaseRequest<Database> {
  onupgradeneeded: (() => void) | null;
  onblocked: (() => void) | null;
}

export interface Database {
  createObjectStore(name: string, options: { keyPath: string[] }): ObjectStore;
  transaction(store: string, mode: "readwrite"): Transaction;
  close(): void;
}

interface Transaction {
  objectStore(name: string): ObjectStore;
  commit(): void;
  oncomplete: (() => void) | null;
  onabort: (() => void) | null;
}

export interface ObjectStore {
  createIndex(name: string, keyPath: string): unknown;
  index(name: string): { getAll(): DatabaseRequest<KeptRecord[]> };
  put(record: object): unknown;
  delete(key: readonly string[]): unknown;
  count(): DatabaseRequest<number>;
}

/** The page globals that exist here. */
export const page = globalThis as PageGlobals;

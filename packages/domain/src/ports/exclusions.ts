import type { ExclusionEntry } from "../attribution/exclusions.ts";

/** What people set aside of an experiment's events. Entries are only ever added. */
export interface ExclusionStore {
  /** Adds an entry under its number, which the caller makes sure is free: lock the experiment first. */
  append(orgId: string, experimentId: string, entry: ExclusionEntry): Promise<void>;
  /** All entries of an experiment, newest first. */
  list(orgId: string, experimentId: string): Promise<readonly ExclusionEntry[]>;
  /** The same for every experiment of the org that has any, by experiment id. */
  listAll(orgId: string): Promise<ReadonlyMap<string, readonly ExclusionEntry[]>>;
}

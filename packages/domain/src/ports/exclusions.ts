import type { ExclusionEntry } from "../attribution/exclusions.ts";
import type { Erasure } from "./erasures.ts";

/** What people set aside of an experiment's events. Entries are only ever added; nothing but an erasure changes them. */
export interface ExclusionStore {
  /** Adds an entry under its number, which the caller makes sure is free: lock the experiment first. */
  append(orgId: string, experimentId: string, entry: ExclusionEntry): Promise<void>;
  /** All entries of an experiment, newest first. */
  list(orgId: string, experimentId: string): Promise<readonly ExclusionEntry[]>;
  /** The same for every experiment of the org that has any, by experiment id. */
  listAll(orgId: string): Promise<ReadonlyMap<string, readonly ExclusionEntry[]>>;
  /** Takes users' ids out of the lists of all entries, which may leave a list empty. Returns how many entries it changed. */
  eraseUsers(users: readonly Pick<Erasure, "orgId" | "userId">[]): Promise<number>;
}

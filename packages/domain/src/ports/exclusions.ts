import type { ExclusionEntry } from "../attribution/exclusions.ts";
import type { Erasure } from "./erasures.ts";

/** Exclusions of an experiment's events, as people made them. Entries are only added; only an erasure changes them. */
export interface ExclusionStore {
  /**
   * Adds an entry under its number. The caller ensures that the number is free by locking the
   * experiment first.
   */
  append(orgId: string, experimentId: string, entry: ExclusionEntry): Promise<void>;
  /** All entries of an experiment, newest first. */
  list(orgId: string, experimentId: string): Promise<readonly ExclusionEntry[]>;
  /** The same for every experiment of the org with entries, by experiment id. */
  listAll(orgId: string): Promise<ReadonlyMap<string, readonly ExclusionEntry[]>>;
  /** The newest entry's number, for every experiment of the org with entries. New entries raise it; an erasure does not change it. */
  newest(orgId: string): Promise<ReadonlyMap<string, number>>;
  /**
   * Removes users' ids from the lists of all entries, which may leave a list empty. Returns the number of changed
   * entries.
   */
  eraseUsers(users: readonly Pick<Erasure, "orgId" | "userId">[]): Promise<number>;
}

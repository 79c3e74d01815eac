import type { DatasetItem } from "../rehearsal/dataset.ts";
import type { UploadFormat } from "../rehearsal/upload-format.ts";
import type { Page, PageQuery } from "./page.ts";

/** Where a dataset's inputs come from. */
export type DatasetSource =
  | {
      readonly kind: "calls";
      readonly experimentId: string;
      /** Half-open window of the calls, epoch milliseconds. */
      readonly from: number;
      readonly until: number;
      /** Number of calls that the inputs were drawn from. */
      readonly calls: number;
      /** Drawn calls without a usable input: the prompt cannot be read, contains no user message, or is too long. */
      readonly leftOut: number;
      /** When the first of the drawn calls was received. Retention counts from then on. */
      readonly receivedFrom: number;
    }
  | { readonly kind: "upload"; readonly format: UploadFormat };

/** Inputs that never change: another upload or draw under the same name is the next version. */
export interface Dataset {
  readonly id: string;
  readonly orgId: string;
  readonly name: string;
  /** From 1; name and version are unique in the org. */
  readonly version: number;
  readonly source: DatasetSource;
  /** Number of inputs. Erasing a person removes theirs. */
  readonly items: number;
  /** How many passages were masked before the inputs were stored, by rule; rules that found nothing are absent. */
  readonly masked: Readonly<Record<string, number>>;
  readonly createdAt: number;
  readonly createdBy: string;
  /** When it is removed, because the calls that it was drawn from expire; null: never. */
  readonly expiresAt: number | null;
}

/** Raw events of these orgs expire this many whole UTC days after the day of receipt. */
export interface DatasetRetention {
  readonly orgIds: readonly string[];
  readonly retentionDays: number;
}

/** Datasets with their inputs. Every method names the org, except those that maintain the datasets of all orgs. */
export interface DatasetStore {
  /** Stores a dataset with all its inputs in one transaction, as the next version of its name. */
  put(dataset: Omit<Dataset, "version" | "items">, items: readonly DatasetItem[]): Promise<Dataset>;
  find(orgId: string, id: string): Promise<Dataset | null>;
  /** The newest remaining version of a name. */
  findNewest(orgId: string, name: string): Promise<Dataset | null>;
  list(orgId: string, page: PageQuery): Promise<Page<Dataset>>;
  /** Inputs by position, at most `limit` after position `after` (-1: from the first). */
  listItems(
    orgId: string,
    id: string,
    range: { readonly after: number; readonly limit: number },
  ): Promise<readonly (DatasetItem & { readonly position: number })[]>;
  count(orgId: string): Promise<number>;
  /** Removes a dataset with its inputs; false when there is none. */
  remove(orgId: string, id: string): Promise<boolean>;
  /**
   * Removes the inputs of users: uploaded ones if they were uploaded before the request, drawn ones in any case, because the calls that
   * they were drawn from may be older than the request. Returns the number of inputs removed.
   */
  eraseUsers(
    erasures: readonly { readonly orgId: string; readonly userId: string; readonly requestedAt: number }[],
  ): Promise<number>;
  /**
   * Removes the drawn datasets whose calls have expired at `now`, and updates when the remaining ones expire, because the retention may
   * have changed with the plan. Returns the number of datasets removed.
   */
  expire(retention: readonly DatasetRetention[], now: number): Promise<number>;
}

import type { DatasetItem } from "../rehearsal/dataset.ts";
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
    }
  | { readonly kind: "upload"; readonly format: string };

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
  readonly createdAt: number;
  readonly createdBy: string;
  /** When it is removed, because the calls that it was drawn from expire; null: never. */
  readonly expiresAt: number | null;
}

/** Datasets with their inputs. Every method names the org, except those that look after all of them. */
export interface DatasetStore {
  /** Stores a dataset with all its inputs in one transaction, as the next version of its name. */
  put(dataset: Omit<Dataset, "version" | "items">, items: readonly DatasetItem[]): Promise<Dataset>;
  find(orgId: string, id: string): Promise<Dataset | null>;
  list(orgId: string, page: PageQuery): Promise<Page<Dataset>>;
  /** Inputs by position, at most `limit` after position `after` (-1: from the first). */
  listItems(
    orgId: string,
    id: string,
    range: { readonly after: number; readonly limit: number },
  ): Promise<readonly (DatasetItem & { readonly position: number })[]>;
}

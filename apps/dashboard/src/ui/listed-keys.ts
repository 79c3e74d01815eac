import { useEffect } from "react";

/** A key and what it does. */
export type KeyRow = readonly [keys: string, what: string];

/** The keys of a part of a page. */
export interface ListedKeys {
  readonly title: string;
  readonly rows: readonly KeyRow[];
}

const listed = new Set<ListedKeys>();

/** Lists keys in the dialog "Keys" while the component is shown. */
export function useListedKeys(keys: ListedKeys): void {
  useEffect(() => {
    listed.add(keys);
    return () => {
      listed.delete(keys);
    };
  }, [keys]);
}

/** Returns the keys of what is shown now. */
export const listedKeys = (): readonly ListedKeys[] => [...listed];

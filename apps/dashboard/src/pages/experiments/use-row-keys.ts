import type { RefObject } from "react";
import { type ListedKeys, useListedKeys } from "../../ui/listed-keys.ts";
import { useSingleKeys } from "../../ui/use-single-keys.ts";
import { rowAfter } from "./row-keys.ts";

const KEYS: ListedKeys = {
  title: "In the list of experiments",
  rows: [
    ["J", "Next experiment"],
    ["K", "Previous experiment"],
    ["Enter", "Open it"],
  ],
};

/** Moves the focus between the names of the experiments: J to the next row, K to the one before. */
export function useRowKeys(table: RefObject<HTMLTableElement | null>, count: number): void {
  useListedKeys(KEYS);
  useSingleKeys((key) => {
    const rows = [...(table.current?.querySelectorAll<HTMLElement>("tr[data-index]") ?? [])];
    const focused = rows.find((row) => row.contains(document.activeElement));
    const first = rows.find((row) => row.getBoundingClientRect().top >= 0) ?? rows[0];
    const to = rowAfter(key, {
      focused: focused === undefined ? null : indexOf(focused),
      first: first === undefined ? 0 : indexOf(first),
      count,
    });
    // A row beside one far out of view may not be in the document.
    const row = rows.find((one) => indexOf(one) === to) ?? (to === null ? undefined : first);
    row?.querySelector("a")?.focus();
  });
}

const indexOf = (row: HTMLElement) => Number(row.dataset.index);

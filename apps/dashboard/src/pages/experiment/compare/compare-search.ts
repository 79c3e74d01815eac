/** The filters of the comparisons, as in the URL. */
export interface CompareSearch {
  readonly order?: string | undefined;
  readonly text?: string | undefined;
  /** Event ids of one comparison, as `pairOf` writes them. */
  readonly calls?: string | undefined;
}

/** The orders and filters, in the words of their buttons. */
export const ORDERS = [
  { order: "difference", label: "Differ most" },
  { order: "asked", label: "Asked most" },
  { order: "longest", label: "Longest" },
  { order: "failed", label: "Failed" },
  { order: "disagreement", label: "Judge and person disagree" },
] as const;
export type Order = (typeof ORDERS)[number]["order"];

/** Reads the order from the URL. */
export function orderOf({ order }: CompareSearch): Order {
  return ORDERS.find((one) => one.order === order)?.order ?? "difference";
}

/** Names a comparison by its event ids, as the API and the URL take them. */
export function pairOf({ answers }: { readonly answers: readonly { readonly event_id: string }[] }): string {
  return answers.map(({ event_id }) => encodeURIComponent(event_id)).join(",");
}

/** Orders answers by their ids alone, so that in a blind pick the place of an answer does not reveal its variant. */
export function shuffled<Answer extends { readonly event_id: string }>(
  answers: readonly Answer[],
): readonly Answer[] {
  return answers.toSorted((one, other) => hash(one.event_id) - hash(other.event_id));
}

/** FNV-1a with a final mix, so that ids that differ only in their last character get far apart. */
function hash(text: string): number {
  let value = 2_166_136_261;
  for (const char of text) value = Math.imul(value ^ (char.codePointAt(0) ?? 0), 16_777_619);
  value = Math.imul(value ^ (value >>> 15), 2_246_822_507);
  return (value ^ (value >>> 13)) >>> 0;
}

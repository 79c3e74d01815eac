import type { operations } from "../../api/schema.d.ts";

type EventsQuery = NonNullable<operations["listStoredEvents"]["parameters"]["query"]>;
export type CallSort = NonNullable<EventsQuery["sort"]>;
export type SortDirection = NonNullable<EventsQuery["direction"]>;

/** What the address says about the calls: filters, order, and the call that is open. */
export interface CallSearch {
  /** Only on the page of all experiments: whose calls. */
  readonly experiment?: string | undefined;
  readonly variant?: string | undefined;
  readonly user?: string | undefined;
  readonly model?: string | undefined;
  /** `only`: failed calls, `none`: the others. */
  readonly errors?: string | undefined;
  readonly text?: string | undefined;
  readonly sort?: string | undefined;
  readonly direction?: string | undefined;
  /** The event id of the call that is open. */
  readonly call?: string | undefined;
}

/** The orders that are offered, as `sort:direction`. */
export const CALL_ORDERS = [
  { value: "occurred_at:desc", label: "Newest first" },
  { value: "occurred_at:asc", label: "Oldest first" },
  { value: "latency_ms:desc", label: "Slowest first" },
  { value: "latency_ms:asc", label: "Fastest first" },
  { value: "time_to_first_token_ms:desc", label: "Slowest first token" },
  { value: "time_to_first_token_ms:asc", label: "Fastest first token" },
  { value: "input_tokens:desc", label: "Most input tokens" },
  { value: "input_tokens:asc", label: "Fewest input tokens" },
  { value: "output_tokens:desc", label: "Most output tokens" },
  { value: "output_tokens:asc", label: "Fewest output tokens" },
  { value: "cost_usd:desc", label: "Most expensive first" },
  { value: "cost_usd:asc", label: "Cheapest first" },
] as const satisfies readonly { value: `${CallSort}:${SortDirection}`; label: string }[];

export type CallOrder = (typeof CALL_ORDERS)[number]["value"];

/** Reads the order; newest first when the address says nothing, or something unknown. */
export function orderOf({ sort, direction }: CallSearch): CallOrder {
  const wanted = `${sort ?? "occurred_at"}:${direction ?? "desc"}`;
  return CALL_ORDERS.find(({ value }) => value === wanted)?.value ?? "occurred_at:desc";
}

/** Splits an order into what the address and the API call it. */
export function splitOrder(order: CallOrder): { readonly sort: CallSort; readonly direction: SortDirection } {
  const [sort, direction] = order.split(":") as [CallSort, SortDirection];
  return { sort, direction };
}

/** Returns the order after a press on a column's head: its largest first, then its smallest. */
export function orderAfterPress(current: CallOrder, sort: CallSort): CallOrder {
  return current === `${sort}:desc` ? `${sort}:asc` : `${sort}:desc`;
}

/** Makes the API's query out of the address; empty filters are none. */
export function eventsQuery(search: CallSearch): EventsQuery {
  const { variant, user, model, errors, text } = search;
  return {
    type: "model_call",
    ...splitOrder(orderOf(search)),
    ...(variant ? { variant } : {}),
    ...(user ? { user_id: user } : {}),
    ...(model ? { model } : {}),
    ...(errors === "only" ? { error: "true" } : {}),
    ...(errors === "none" ? { error: "false" } : {}),
    ...(text ? { text } : {}),
  };
}

/** Tells whether the address leaves calls out. */
export function isFiltered({ variant, user, model, errors, text }: CallSearch): boolean {
  return [variant, user, model, errors, text].some(Boolean);
}

import type { operations } from "../../api/schema.d.ts";

type EventsQuery = NonNullable<operations["listStoredEvents"]["parameters"]["query"]>;
type EventSource = NonNullable<EventsQuery["source"]>;
export type CallSort = NonNullable<EventsQuery["sort"]>;
export type SortDirection = NonNullable<EventsQuery["direction"]>;

/** The search part of the URL: filters, order and the open call. */
export interface CallSearch {
  /** The chosen experiment; only on the page for all experiments. */
  readonly experiment?: string | undefined;
  readonly variant?: string | undefined;
  readonly user?: string | undefined;
  readonly model?: string | undefined;
  /** `only`: failed calls; `none`: successful calls. */
  readonly errors?: string | undefined;
  /** How the calls came. */
  readonly source?: string | undefined;
  readonly text?: string | undefined;
  readonly sort?: string | undefined;
  readonly direction?: string | undefined;
  /** The event id of the open call. */
  readonly call?: string | undefined;
}

/** How events come, in words. */
export const SOURCES = [
  { value: "publishable", label: "Publishable key" },
  { value: "secret", label: "Secret key" },
  { value: "import", label: "Import" },
  { value: "signed", label: "Signed webhook" },
  { value: "test", label: "Test event" },
  { value: "otlp", label: "OpenTelemetry" },
] as const satisfies readonly { value: EventSource; label: string }[];

/** The available orders, as `sort:direction`. */
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

/** Reads the order from the URL; newest first when it is missing or unknown. */
export function orderOf({ sort, direction }: CallSearch): CallOrder {
  const wanted = `${sort ?? "occurred_at"}:${direction ?? "desc"}`;
  return CALL_ORDERS.find(({ value }) => value === wanted)?.value ?? "occurred_at:desc";
}

/** Splits an order into the fields of the URL and the API. */
export function splitOrder(order: CallOrder): { readonly sort: CallSort; readonly direction: SortDirection } {
  const [sort, direction] = order.split(":") as [CallSort, SortDirection];
  return { sort, direction };
}

/** Returns the order after a press on a column header: descending first, then ascending. */
export function orderAfterPress(current: CallOrder, sort: CallSort): CallOrder {
  return current === `${sort}:desc` ? `${sort}:asc` : `${sort}:desc`;
}

/** Builds the API query from the URL; empty filters are left out. */
export function eventsQuery(search: CallSearch): EventsQuery {
  const { variant, user, model, errors, text } = search;
  const source = SOURCES.find(({ value }) => value === search.source)?.value;
  return {
    type: "model_call",
    ...splitOrder(orderOf(search)),
    ...(variant ? { variant } : {}),
    ...(user ? { user_id: user } : {}),
    ...(model ? { model } : {}),
    ...(errors === "only" ? { error: "true" } : {}),
    ...(errors === "none" ? { error: "false" } : {}),
    ...(source ? { source } : {}),
    ...(text ? { text } : {}),
  };
}

/** Returns whether any filter is set. */
export function isFiltered({ variant, user, model, errors, source, text }: CallSearch): boolean {
  return [variant, user, model, errors, source, text].some(Boolean);
}

/** Undefined removes a filter from the URL. */
export const NO_FILTERS = {
  variant: undefined,
  user: undefined,
  model: undefined,
  errors: undefined,
  source: undefined,
  text: undefined,
} satisfies CallSearch;

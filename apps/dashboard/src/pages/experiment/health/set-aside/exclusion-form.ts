import type { WithArrays } from "../../../../api/client.ts";
import type { Wire } from "../../../../api/types.ts";

/** The form's values: lists have one id per line, times are `YYYY-MM-DDTHH:MM` in UTC, "" for none. */
export interface ExclusionValues {
  readonly reason: string;
  readonly user_ids: string;
  readonly event_ids: string;
  readonly source: string;
  readonly key_prefix: string;
  readonly client: string;
  readonly variant: string;
  readonly business_metric: string;
  readonly from: string;
  readonly to: string;
}

export const EMPTY: ExclusionValues = {
  reason: "",
  user_ids: "",
  event_ids: "",
  source: "",
  key_prefix: "",
  client: "",
  variant: "",
  business_metric: "",
  from: "",
  to: "",
};

type Body = WithArrays<Wire<"ExclusionRequest">>;

/** Makes the request from a form, without the parts that are not filled in. The service checks them. */
export function toRequest({ reason, user_ids, event_ids, from, to, ...names }: ExclusionValues): Body {
  const match = {
    ...listed("user_ids", user_ids),
    ...listed("event_ids", event_ids),
    ...Object.fromEntries(
      Object.entries(names)
        .map(([part, text]) => [part, text.trim()] as const)
        .filter(([, text]) => text !== ""),
    ),
    ...timed("from", from),
    ...timed("to", to),
  };
  return { reason: reason.trim(), match };
}

function listed(part: string, text: string): Readonly<Record<string, string[]>> {
  const ids = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  return ids.length === 0 ? {} : { [part]: ids };
}

function timed(part: string, text: string): Readonly<Record<string, string>> {
  return text === "" ? {} : { [part]: `${text.length === 16 ? `${text}:00` : text}Z` };
}

/** The field that shows a fault. A list shows its entries' faults. Null for the match as a whole. */
export function fieldOfPointer(pointer: string): keyof ExclusionValues | null {
  const [, first = "", second = ""] = pointer.split("/");
  const field = first === "match" ? second : first;
  return field in EMPTY ? (field as keyof ExclusionValues) : null;
}

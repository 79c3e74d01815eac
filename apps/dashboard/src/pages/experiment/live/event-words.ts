import type { StoredEventSummary } from "../../../api/types.ts";
import { counted, dollars, milliseconds, number } from "../../../format/numbers.ts";

type EventWords = Pick<
  StoredEventSummary,
  | "type"
  | "model"
  | "latency_ms"
  | "output_tokens"
  | "cost_usd"
  | "error"
  | "error_type"
  | "business_metric"
  | "value"
  | "variant"
  | "tool_name"
  | "completed"
>;

/** Describes an event in a few words. */
export function eventInWords(event: EventWords): string {
  switch (event.type) {
    case "exposure":
      return event.variant === null ? "no variant" : `got ${event.variant}`;
    case "business_event":
      return `${event.business_metric ?? "unnamed outcome"}: ${number(event.value ?? 1)}`;
    case "model_call":
      return callInWords(event.model ?? "unnamed model", event);
    case "tool_call":
      return callInWords(event.tool_name ?? "unnamed tool", event);
    case "run_end":
      return event.completed === false ? "task not done" : "task done";
  }
}

function callInWords(
  what: string,
  { latency_ms, output_tokens, cost_usd, error, error_type }: EventWords,
): string {
  const facts = [
    what,
    error ? `failed${error_type === null ? "" : `: ${error_type}`}` : null,
    latency_ms === null ? null : milliseconds(latency_ms),
    output_tokens === null ? null : `${counted(output_tokens, "output token")}`,
    cost_usd === null ? null : dollars(cost_usd),
  ];
  return facts.filter((fact) => fact !== null).join(" · ");
}

/** The event types in words. */
export const EVENT_KINDS: Readonly<Record<StoredEventSummary["type"], string>> = {
  exposure: "Exposure",
  model_call: "Model call",
  business_event: "Outcome",
  tool_call: "Tool call",
  run_end: "End of a run",
};

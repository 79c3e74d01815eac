import type { StoredEventSummary } from "../../api/types.ts";
import { counted, milliseconds } from "../../format/numbers.ts";

/** Describes a received event: "gpt-4o-mini · 812 ms · 431 tokens · variant concise". Missing fields are left out. */
export function receivedWords(event: StoredEventSummary): string {
  const variant = event.variant === null ? "no variant" : `variant ${event.variant}`;
  if (event.type === "exposure") return `user ${event.user_id} got ${variant}`;
  if (event.type === "business_event")
    return [event.business_metric ?? "an outcome", `user ${event.user_id}`, variant].join(" · ");
  const tokens = (event.input_tokens ?? 0) + (event.output_tokens ?? 0);
  return [
    event.model ?? event.requested_model ?? "a model call",
    event.latency_ms === null ? null : milliseconds(event.latency_ms),
    tokens === 0 ? null : counted(tokens, "token"),
    event.error === true ? "error" : null,
    variant,
  ]
    .filter((part) => part !== null)
    .join(" · ");
}

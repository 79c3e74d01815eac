import type { Wire } from "../../api/types.ts";
import { count, counted, percent } from "../../format/numbers.ts";

type Summary = Wire<"TelemetrySummary">;
type Call = NonNullable<Summary["last_call"]>;
type Evaluation = NonNullable<Summary["last_evaluation"]>;
export type Instrumentation = Summary["instrumentations"][number];

/** Describes the newest call: "gpt-4o-mini · openai 1.0 · opentelemetry-1.37/1.37". Missing parts are left out. */
export function callWords({ model, scope, dialect }: Call): string {
  return [model ?? "a model call", scope || "an instrumentation without a name", dialect]
    .filter((part) => part !== null)
    .join(" · ");
}

/** What became of the newest call, and what to do about it. */
export const OUTCOME_WORDS: Readonly<Record<Call["outcome"], string>> = {
  event: "It counts as a model call of its user and variant.",
  waiting: "It waits for the rest of its trace, until half a minute after the trace's last part.",
  "no-evaluation":
    "It does not count yet: its trace has no evaluation of an experiment's flag. Add OpenFeature's hook for OpenTelemetry, or send the span that has the evaluation.",
  "no-user": "It does not count yet: its trace names no user. Set feature_flag.context.id or user.id.",
  "several-users":
    "It does not count yet: its trace names several users. Evaluate the flag in the span around each user's calls.",
  "no-unit":
    "It does not count yet: its trace names no conversation, or several, but the experiment gives each conversation a variant. Set gen_ai.conversation.id on its calls.",
  refused:
    "It does not count yet: it was refused, for example because the experiment does not have its variant. The service's log has the reason.",
  unfinished:
    "It does not count yet: it arrived in pieces, and its end has not arrived. End or update it in your code.",
};

/** Describes the effect of sampling on results. Null if the newest call was not sampled. */
export function samplingWords({ sampling_probability: probability }: Call): string | null {
  if (probability === null || probability === 1) return null;
  return `Its trace was kept with a probability of ${percent(probability)}. It counts for ${count(Math.round(1 / probability))} calls in sums, counts and means. Metrics that cannot be estimated from a sample say so.`;
}

/** Says how many attributes nobody reads; null where there are none. */
export function unreadWords({ unread_attributes: unread }: Call): string | null {
  if (unread === 0) return null;
  return `${counted(unread, "attribute")} that no convention names ${unread === 1 ? "is" : "are"} kept in its metadata.`;
}

/** Describes the newest evaluation: "greeting is concise for ann, by a log record". */
export function evaluationWords({ flag, variant, user_id, is_logged }: Evaluation): string {
  const user = user_id === null ? "the user of its trace" : user_id;
  return `${flag} is ${variant} for ${user}, by ${is_logged ? "a log record" : "a span"}`;
}

/** Summarizes an instrumentation's calls: "12 calls in the last 24 hours: 9 count, 2 wait, 1 without a user." */
export function callsWords(found: Instrumentation): string {
  const parts: readonly (readonly [number, string])[] = [
    [found.waiting, "waiting for the rest of the trace"],
    [found.without_experiment, "without an experiment's flag"],
    [found.without_user, "without a user"],
    [found.with_several_users, "with several users"],
    [found.without_unit, "without a conversation"],
    [found.unfinished, "not ended"],
    [found.refused, "refused"],
  ];
  const others = parts.flatMap(([calls, words]) => (calls === 0 ? [] : [`${count(calls)} ${words}`]));
  return `${counted(found.calls, "call")} in the last 24 hours: ${[`${count(found.events)} counted`, ...others].join(", ")}.`;
}

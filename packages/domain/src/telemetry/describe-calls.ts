import type { ScopeCalls } from "../ports/waiting-traces.ts";

/** The outcomes of one instrumentation's calls, and what the calls lack. */
export interface Instrumentation {
  readonly scope: string;
  /** Calls, except those that contain other calls. */
  readonly calls: number;
  readonly streams: number;
  /** Calls whose trace is not settled yet. */
  readonly waiting: number;
  readonly events: number;
  /** Calls of traces in which no experiment's flag was evaluated. */
  readonly withoutExperiment: number;
  /** Calls of traces that name no user. */
  readonly withoutUser: number;
  /** Calls of traces that name several users, so that the call's user is unclear. */
  readonly withSeveralUsers: number;
  /** Calls of experiments on conversations, in traces that name no conversation or several. */
  readonly withoutUnit: number;
  /** Calls that arrived in pieces and whose end is missing. */
  readonly unfinished: number;
  /** Calls that were refused as events, for example because the experiment does not have their variant. */
  readonly refused: number;
  readonly withoutUsage: number;
  readonly streamsWithoutUsage: number;
  /** What to do about it: one sentence per entry. */
  readonly advice: readonly string[];
}

/** Describes the calls of each instrumentation, by name. */
export function describeCalls(counts: readonly ScopeCalls[]): readonly Instrumentation[] {
  const own = counts.filter(({ outcome }) => outcome !== "outer-call");
  return [...Map.groupBy(own, ({ scope }) => scope)].map(([scope, rows]) => {
    const sum = (isCounted: (row: ScopeCalls) => boolean) =>
      rows.filter(isCounted).reduce((total, { calls }) => total + calls, 0);
    const found = {
      scope,
      calls: sum(() => true),
      streams: sum(({ isStream }) => isStream),
      waiting: sum(({ outcome }) => outcome === "waiting"),
      events: sum(({ outcome }) => outcome === "event"),
      withoutExperiment: sum(({ outcome }) => outcome === "no-evaluation"),
      withoutUser: sum(({ outcome }) => outcome === "no-user"),
      withSeveralUsers: sum(({ outcome }) => outcome === "several-users"),
      withoutUnit: sum(({ outcome }) => outcome === "no-unit"),
      unfinished: sum(({ outcome }) => outcome === "unfinished"),
      refused: sum(({ outcome }) => outcome === "refused"),
      withoutUsage: sum(({ hasUsage }) => !hasUsage),
      streamsWithoutUsage: sum(({ hasUsage, isStream }) => isStream && !hasUsage),
    };
    return { ...found, advice: adviceOn(found) };
  });
}

const ADVICE: readonly {
  readonly of: (found: Omit<Instrumentation, "advice">) => readonly [part: number, whole: number];
  readonly say: string;
}[] = [
  {
    of: ({ streamsWithoutUsage, streams }) => [streamsWithoutUsage, streams],
    say: "of the streamed calls carry no usage: set stream_options.include_usage in the requests.",
  },
  {
    of: ({ withoutUsage, streamsWithoutUsage, calls }) => [withoutUsage - streamsWithoutUsage, calls],
    say: "of the calls carry no usage: they failed, or they are streams that the instrumentation does not mark as such. For streams, set stream_options.include_usage in the requests.",
  },
  {
    of: ({ withoutExperiment, calls }) => [withoutExperiment, calls],
    say: "of the calls are in traces without the evaluation of an experiment's flag: add OpenFeature's hook for OpenTelemetry, or send the span that has the evaluation; with Langfuse's SDKs, put feature_flag.key and feature_flag.result.variant into the metadata.",
  },
  {
    of: ({ withoutUser, calls }) => [withoutUser, calls],
    say: "of the calls are in traces that name no user: set feature_flag.context.id or user.id.",
  },
  {
    of: ({ withSeveralUsers, calls }) => [withSeveralUsers, calls],
    say: "of the calls are in traces of several users: evaluate the flag in the span around each user's calls.",
  },
  {
    of: ({ withoutUnit, calls }) => [withoutUnit, calls],
    say: "of the calls are in traces that name no conversation, or several, and the experiment is on conversations: set gen_ai.conversation.id on the calls.",
  },
  {
    of: ({ unfinished, calls }) => [unfinished, calls],
    say: "of the calls never ended: end each generation, and flush before the process exits.",
  },
  {
    of: ({ refused, calls }) => [refused, calls],
    say: "of the calls were refused: send a variant that the experiment has, and users of at most 256 characters; the service's log has the first reason.",
  },
];

function adviceOn(found: Omit<Instrumentation, "advice">): readonly string[] {
  return ADVICE.flatMap(({ of, say }) => {
    const [part, whole] = of(found);
    return part === 0 ? [] : [`${Math.max(1, Math.round((100 * part) / whole))}% ${say}`];
  });
}

import { describe, expect, test } from "vitest";
import {
  callsWords,
  callWords,
  evaluationWords,
  type Instrumentation,
  OUTCOME_WORDS,
  samplingWords,
  unreadWords,
} from "./arrival-words.ts";
import { langfuseLines, openTelemetryLines } from "./variables.ts";

const call = {
  ...{
    scope: "openai 1.0",
    dialect: "openinference/1",
    model: "m",
    sampling_probability: null,
    unread_attributes: 0,
  },
  ...{ started_at: "2026-11-26T12:00:00.000Z", trace_id: "t", outcome: "event" as const },
};
const instrumentation = (change: Partial<Instrumentation>): Instrumentation => ({
  ...{ scope: "x 1.0", calls: 0, streams: 0, waiting: 0, events: 0, without_experiment: 0, without_user: 0 },
  ...{
    with_several_users: 0,
    without_unit: 0,
    unfinished: 0,
    refused: 0,
    without_usage: 0,
    streams_without_usage: 0,
    advice: [],
    ...change,
  },
});

describe("the newest", () => {
  test("call is described by what it says", () => {
    expect(callWords(call)).toBe("m · openai 1.0 · openinference/1");
    expect(callWords({ ...call, model: null, scope: "", dialect: null })).toBe(
      "a model call · an instrumentation without a name",
    );
  });

  test("call says why it does not count, and what to do", () => {
    const reasons = ["no-evaluation", "no-user", "several-users", "no-unit"] as const;
    for (const reason of reasons)
      expect(OUTCOME_WORDS[reason]).toMatch(/^It does not count yet: its trace .+\. (Add|Set|Evaluate) /);
  });

  test("call says how many of its attributes nobody reads", () => {
    expect([0, 1, 12].map((unread) => unreadWords({ ...call, unread_attributes: unread }))).toEqual([
      null,
      "1\u00a0attribute that no convention names is kept in its metadata.",
      "12\u00a0attributes that no convention names are kept in its metadata.",
    ]);
  });

  test("call says what sampling does to results, where it was sampled", () => {
    expect(
      [null, 1].map((probability) => samplingWords({ ...call, sampling_probability: probability })),
    ).toEqual([null, null]);
    expect(samplingWords({ ...call, sampling_probability: 0.25 })).toContain(
      "a probability of 25%. It counts for 4 calls",
    );
  });

  test("evaluation is described with how it came", () => {
    const evaluation = { flag: "greeting", variant: "b", evaluated_at: "", trace_id: "t" };
    expect(evaluationWords({ ...evaluation, user_id: "ann", is_logged: true })).toBe(
      "greeting is b for ann, by a log record",
    );
    expect(evaluationWords({ ...evaluation, user_id: null, is_logged: false })).toBe(
      "greeting is b for the user of its trace, by a span",
    );
  });
});

test.each([
  { found: { calls: 1, events: 1 }, words: "1 call in the last 24 hours: 1 counted." },
  {
    found: {
      calls: 1_209,
      events: 1,
      waiting: 2,
      without_experiment: 1_200,
      without_user: 2,
      with_several_users: 4,
      without_unit: 5,
      unfinished: 6,
      refused: 7,
    },
    words:
      "1,209 calls in the last 24 hours: 1 counted, 2 waiting for the rest of the trace, 1,200 without an experiment's flag, 2 without a user, 4 with several users, 5 without a conversation, 6 not ended, 7 refused.",
  },
])("an instrumentation's calls are summed up: $words", ({ found, words }) => {
  expect(callsWords(instrumentation(found)).replaceAll("\u00a0", " ")).toBe(words);
});

test("the variables have the installation's address, and the keys as far as they are known", () => {
  const baseUrl = "https://assay.example.com";
  const known = { baseUrl, secretKey: "svc_sk_1", publishableKey: "svc_pk_2" };
  expect(openTelemetryLines(known)).toBe(
    "OTEL_EXPORTER_OTLP_ENDPOINT=https://assay.example.com/v1/otlp\nOTEL_EXPORTER_OTLP_HEADERS=X-API-Key=svc_sk_1\n",
  );
  expect(langfuseLines(known).trimEnd().split("\n")).toEqual([
    `LANGFUSE_BASE_URL=${baseUrl}`,
    "LANGFUSE_PUBLIC_KEY=svc_pk_2",
    "LANGFUSE_SECRET_KEY=svc_sk_1",
  ]);
  const unknown = { baseUrl, secretKey: null, publishableKey: null };
  expect(openTelemetryLines(unknown)).toContain("X-API-Key=svc_sk_…");
  expect(langfuseLines(unknown)).toContain("svc_pk_…");
});

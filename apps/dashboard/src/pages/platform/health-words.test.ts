import { expect, test } from "vitest";
import type { Wire } from "../../api/types.ts";
import { healthInWords, secondsInWords } from "./health-words.ts";

type Health = Wire<"AdminHealth">;

const dependency = (name: "control_plane" | "event_store" | "queue", status: "ok" | "down") => ({
  name,
  status,
  latency_ms: 1,
  detail: null,
});

const health = (part: Partial<Health>): Health => ({
  status: "ok",
  version: "0.1.0",
  started_at: "2026-11-22T00:00:00.000Z",
  dependencies: [
    dependency("control_plane", "ok"),
    dependency("event_store", "ok"),
    dependency("queue", "ok"),
  ],
  queue: { batches: 0, bytes: 0, oldest_age_seconds: null },
  pipeline: { last_run: null, next_run_at: "2026-11-23T00:15:00.000Z", failures: [] },
  ...part,
});

const failure = { org_id: "o", experiment_id: "e", name: "Greeting", day: "2026-11-21", detail: null };

test.each<[string, Partial<Health>, string]>([
  ["all is well", {}, "All parts respond, nothing is late, and no analysis is missing."],
  [
    "an engine is away",
    { status: "down", dependencies: [dependency("event_store", "down")] },
    "The event store is not responding.",
  ],
  [
    "two engines are away",
    { status: "down", dependencies: [dependency("event_store", "down"), dependency("queue", "down")] },
    "The event store and the ingest queue are not responding.",
  ],
  [
    "the queue lags",
    {
      status: "degraded",
      dependencies: [
        { name: "queue", status: "degraded", latency_ms: null, detail: "The oldest batch waits." },
      ],
    },
    "The oldest batch waits.",
  ],
  [
    "an analysis failed",
    {
      status: "degraded",
      pipeline: { last_run: null, next_run_at: "2026-11-23T00:15:00.000Z", failures: [failure] },
    },
    "1\u00a0analysis of the last 7 days failed.",
  ],
])("says when %s", (_name, part, words) => expect(healthInWords(health(part))).toBe(words));

test.each([
  [1, "1\u00a0second"],
  [99, "99\u00a0seconds"],
  [100, "2\u00a0minutes"],
  [7200, "2\u00a0hours"],
])("writes %d seconds as %s", (seconds, words) => expect(secondsInWords(seconds)).toBe(words));

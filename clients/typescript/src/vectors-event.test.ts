import { expect, test } from "vitest";
import { canonicalJson } from "../test-support/canonical-json.ts";
import { ManualSchedule } from "../test-support/manual-schedule.ts";
import { readVectors } from "../test-support/read-vectors.ts";
import { RecordedLog } from "../test-support/recorded-log.ts";
import { CoreClient } from "./core-client.ts";

interface EventCase {
  readonly name: string;
  readonly type: unknown;
  readonly payload: unknown;
  readonly row: unknown;
}
interface EventVectors {
  readonly now: number;
  readonly new_id: string;
  readonly cases: readonly EventCase[];
}

const vectors = readVectors<EventVectors>("event");

/** Decodes the placeholder of a value that JSON cannot hold. */
const MARKERS: Readonly<Record<string, (marker: Record<string, unknown>) => unknown>> = {
  nan: () => Number.NaN,
  infinity: () => Number.POSITIVE_INFINITY,
  "-infinity": () => Number.NEGATIVE_INFINITY,
  unserialisable: () => 1n,
  cycle: () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    return cycle;
  },
  instant: ({ epoch_ms }) => new Date(Number(epoch_ms)),
  utf16: ({ units }) => String.fromCharCode(...(units as number[])),
  repeat: ({ text, times }) => String(text).repeat(Number(times)),
};

function unmark(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(unmark);
  if ("$" in value) return MARKERS[String(value.$)]!(value);
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, unmark(entry)]));
}

/** Tracks one event; returns the batches sent and the lines logged. */
async function trackOne(type: unknown, payload: unknown) {
  const log = new RecordedLog();
  const bodies: string[] = [];
  const client = new CoreClient({
    apiKey: "svc_pk_1",
    baseUrl: "http://unused.invalid",
    log,
    schedule: new ManualSchedule().run,
    now: () => vectors.now,
    newId: () => vectors.new_id,
    fetch: (url, { body }) => {
      if (url.endsWith("/v1/config")) return new Promise(() => {});
      bodies.push(String(body));
      return Promise.resolve(
        Response.json({ accepted: 1, config_version: 1, rejected: [] }, { status: 202 }),
      );
    },
  });
  client.track(type as never, payload as never);
  expect(await client.flush()).toBe(true);
  return { bodies, lines: log.lines };
}

test.each(vectors.cases)("event.json: $name", async ({ type, payload, row }) => {
  const { bodies, lines } = await trackOne(type, unmark(payload));
  expect(bodies.flatMap((body) => JSON.parse(body).events).map(canonicalJson)).toEqual(
    row === null ? [] : [canonicalJson(unmark(row))],
  );
  expect(lines).toEqual(
    row === null ? [expect.stringMatching(/^warn \[assay\] event dropped, [^{}]*: 1$/)] : [],
  );
});

import { describe, expect, test } from "vitest";
import { checkEvent } from "./check-event.ts";
import { parseTimestamp } from "./timestamp.ts";

const now = Date.UTC(2026, 10, 21, 12);
const exposure = {
  event_id: "e1",
  type: "exposure",
  experiment_id: "checkout",
  user_id: "u1",
  timestamp: now,
};
const call = { ...exposure, type: "model_call" };
const DAY = 86_400_000;

/** Metadata with exactly this many bytes as JSON. */
const metadata = (bytes: number) => ({ key: "x".repeat(bytes - '{"key":""}'.length) });

describe("the largest value is accepted, and the next larger one is not", () => {
  test.each([
    {
      what: "an event_id of 128 characters",
      most: { ...exposure, event_id: "e".repeat(128) },
      more: { ...exposure, event_id: "e".repeat(129) },
    },
    {
      what: "a user_id of 256 characters",
      most: { ...exposure, user_id: "u".repeat(256) },
      more: { ...exposure, user_id: "u".repeat(257) },
    },
    {
      what: "a unit_id of 256 characters",
      most: { ...exposure, unit_id: "c".repeat(256) },
      more: { ...exposure, unit_id: "c".repeat(257) },
    },
    {
      what: "a run_id of 256 characters",
      most: { ...exposure, run_id: "r".repeat(256) },
      more: { ...exposure, run_id: "r".repeat(257) },
    },
    {
      what: "a variant of 200 characters",
      most: { ...exposure, variant: "v".repeat(200) },
      more: { ...exposure, variant: "v".repeat(201) },
    },
    {
      what: "an experiment_id of 200 characters",
      most: { ...exposure, experiment_id: "x".repeat(200) },
      more: { ...exposure, experiment_id: "x".repeat(201) },
    },
    {
      what: "metadata of 16 KiB",
      most: { ...exposure, metadata: metadata(16_384) },
      more: { ...exposure, metadata: metadata(16_385) },
    },
    {
      what: "a prompt of 256 KiB",
      most: { ...call, prompt: "p".repeat(262_144) },
      more: { ...call, prompt: "p".repeat(262_145) },
    },
    {
      what: "a prompt of 256 KiB, in characters of two bytes",
      most: { ...call, prompt: "\u0080".repeat(131_072) },
      more: { ...call, prompt: "\u0080".repeat(131_073) },
    },
    {
      what: "a response of 256 KiB",
      most: { ...call, response: "r".repeat(262_144) },
      more: { ...call, response: "r".repeat(262_145) },
    },
    {
      what: "a timestamp 24 hours ahead",
      most: { ...exposure, timestamp: now + DAY },
      more: { ...exposure, timestamp: now + DAY + 1 },
    },
    {
      what: "the first instant of the year 2000",
      most: { ...exposure, timestamp: 946_684_800_000 },
      more: { ...exposure, timestamp: 946_684_799_999 },
    },
    { what: "a latency of 0", most: { ...call, latency_ms: 0 }, more: { ...call, latency_ms: -1e-9 } },
  ])("$what", ({ most, more }) => {
    expect(checkEvent(most, now)).toBeNull();
    expect(checkEvent(more, now)).not.toBeNull();
  });
});

describe("the timestamps of our clients are read to the millisecond", () => {
  const usual = "2026-11-21T12:34:56.789Z";

  test("like every other form of the same instant", () => {
    const at = Date.UTC(2026, 10, 21, 12, 34, 56, 789);
    for (const text of [usual, "2026-11-21 12:34:56.789z", "2026-11-21T14:34:56.789+02:00"])
      expect(parseTimestamp(text)).toBe(at);
  });

  test.each([
    "2026-01-01T00:00:00.000Z",
    "2026-12-31T23:59:59.999Z",
    "2024-02-29T00:00:00.000Z",
    "2000-02-29T10:11:12.013Z",
    "2026-04-30T09:08:07.006Z",
    "2026-06-30T09:08:07.006Z",
    "2026-09-30T09:08:07.006Z",
    "2026-11-30T09:08:07.006Z",
    "2026-01-31T09:08:07.006Z",
    "1000-01-01T00:00:00.000Z",
    "0999-01-01T00:00:00.000Z",
  ])("%s", (text) => expect(parseTimestamp(text)).toBe(Date.parse(text)));

  test.each([
    "2026-00-10T00:00:00.000Z",
    "2026-13-10T00:00:00.000Z",
    "2026-10-00T00:00:00.000Z",
    "2026-01-32T00:00:00.000Z",
    "2026-04-31T00:00:00.000Z",
    "2026-06-31T00:00:00.000Z",
    "2026-09-31T00:00:00.000Z",
    "2026-11-31T00:00:00.000Z",
    "2026-02-29T00:00:00.000Z",
    "1900-02-29T00:00:00.000Z",
    "2024-02-30T00:00:00.000Z",
    "2026-11-21T24:00:00.000Z",
    "2026-11-21T12:60:00.000Z",
    "2026-11-21T12:34:60.000Z",
    "2026-11-21T12:34:56.7x9Z",
    "2026-11-21T12:34:56.7/9Z",
    "2026-11-21T12:34:56.7:9Z",
  ])("%s is not an instant", (text) => expect(parseTimestamp(text)).toBeNull());

  test.each([
    { at: 4, marks: "-" },
    { at: 7, marks: "-" },
    { at: 10, marks: "Tt " },
    { at: 13, marks: ":" },
    { at: 16, marks: ":" },
    { at: 19, marks: "." },
    { at: 23, marks: "Zz" },
  ])("position $at accepts one of $marks and nothing else", ({ at, marks }) => {
    const accepted = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).filter(
      (mark) => parseTimestamp(usual.slice(0, at) + mark + usual.slice(at + 1)) !== null,
    );
    expect(accepted.sort()).toEqual([...marks].sort());
  });

  test("nothing may follow it", () => {
    for (let length = 1; length < 10; length++) expect(parseTimestamp(usual + "0".repeat(length))).toBeNull();
  });
});

import { expect, test } from "vitest";
import { documented, documentedRow, documentedText } from "../../../../tests/documented.ts";
import { DAY_MS } from "../time/day.ts";
import {
  DELIVERY_RETENTION_MS,
  MAX_ADDRESSES,
  MAX_ANSWER,
  MAX_CHANNELS,
  SECRET_OVERLAP_MS,
} from "./channel.ts";
import { RETRY_JITTER, RETRY_WAITS_MS } from "./delivery-schedule.ts";
import { JUDGE_DOWN_MS, SILENCE_MS } from "./standing-facts.ts";

const UNITS = { s: 1_000, min: 60_000, h: 3_600_000 };
const number = (pattern: RegExp) => documented("alerts.md", pattern);

test("the documented waits between attempts", () => {
  const waits = documentedText("alerts.md", /repeated after ([^:]+), each up to/)
    .split(/, | and /)
    .map((wait) => /^(\d+) (s|min|h)$/.exec(wait) ?? [])
    .map(([, count, unit]) => Number(count) * UNITS[unit as keyof typeof UNITS]);
  expect(waits).toEqual(RETRY_WAITS_MS);
  expect(number(/each up to (\d+)% shorter/)).toBe(100 * RETRY_JITTER);
  expect(number(/longer: (\d+) attempts in a day/)).toBe(RETRY_WAITS_MS.length + 1);
});

test("the documented limits of channels", () => {
  expect(number(/at most (\d+) channels/)).toBe(MAX_CHANNELS);
  expect(number(/at most (\d+), and a mail server/)).toBe(MAX_ADDRESSES);
  expect(number(/first (\d+) characters of the answer/)).toBe(MAX_ANSWER);
  expect(number(/lists the last (\d+) days/)).toBe(DELIVERY_RETENTION_MS / DAY_MS);
  expect(number(/For (\d+) hours messages carry two signatures/)).toBe(SECRET_OVERLAP_MS / 3_600_000);
});

test("the documented times without exposures and without a judge", () => {
  const [, silence = ""] = documentedRow("alerts.md", "experiment.no_traffic");
  expect(Number(/none in the last (\d+) hours/.exec(silence)?.[1])).toBe(SILENCE_MS / 3_600_000);
  const [, down = ""] = documentedRow("alerts.md", "judge.down");
  expect(Number(/no scores for (\d+) minutes/.exec(down)?.[1])).toBe(JUDGE_DOWN_MS / 60_000);
});

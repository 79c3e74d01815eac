import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ALERT_MESSAGES, AlertMessageSchema, fromWire, MESSAGE_TYPES, toWire } from "@assay/contract";
import {
  type AlertMessage,
  DAY_MS,
  DELIVERY_RETENTION_MS,
  MAX_ADDRESSES,
  MAX_ANSWER,
  MAX_CHANNELS,
  RETRY_JITTER,
  RETRY_WAITS_MS,
  SECRET_OVERLAP_MS,
  VERDICTS,
} from "@assay/domain";
import { expect, test } from "vitest";
import { documented, documentedRow } from "../../../../tests/documented.ts";
import { compileCheck } from "../http/validate.ts";
import { messageAnswer, webhookBody } from "./message-body.ts";

const PAGE = readFileSync(join(import.meta.dirname, "../../../../docs/alerts.md"), "utf8");
const examples = (/```json\n([^`]+)```/.exec(PAGE)?.[1] ?? "")
  .trim()
  .split("\n")
  .map(
    (line) =>
      JSON.parse(line) as { readonly type: (typeof MESSAGE_TYPES)[number]; readonly timestamp: string },
  );

test("the page has an example of every type", () => {
  expect(examples.map(({ type }) => type)).toEqual(MESSAGE_TYPES);
});

test.each(examples)("the example of $type is what a webhook gets", (example) => {
  const schema = ALERT_MESSAGES[example.type]!;
  expect(compileCheck(schema)(example)).toEqual([]);
  const { type, timestamp, data } = fromWire(AlertMessageSchema, example as never);
  const message = { type, at: timestamp, data } as AlertMessage;
  expect(toWire(AlertMessageSchema, messageAnswer(message))).toEqual(example);
  expect(JSON.parse(webhookBody(message))).toEqual(example);
  // A field that the example lacks would be missing in the service's own messages, too.
  expect(compileCheck(schema)({ ...example, data: {} })).not.toEqual([]);
});

test("the page explains every type, and names the verdicts", () => {
  for (const type of MESSAGE_TYPES)
    expect(PAGE, type).toMatch(new RegExp(`\\| [^|]*${type.replaceAll(".", "\\.")}[^|]* \\|`));
  const [, when = ""] = documentedRow("alerts.md", "experiment.ready");
  expect([...when.matchAll(/`([a-z-]+)`/g)].map(([, state]) => state)).toEqual(VERDICTS);
});

const UNITS = { s: 1_000, min: 60_000, h: 3_600_000 };

test("the page gives the schedule and the limits of the code", () => {
  const waits = /repeated after ([^:]+), each up to/.exec(PAGE.replaceAll("\n", " "))?.[1] ?? "";
  const parsed = waits
    .split(/, | and /)
    .map((wait) => /^(\d+) (s|min|h)$/.exec(wait) ?? [])
    .map(([, count, unit]) => Number(count) * UNITS[unit as keyof typeof UNITS]);
  expect(parsed).toEqual(RETRY_WAITS_MS);
  const read = (pattern: RegExp) => documented("alerts.md", pattern);
  expect(read(/each up to (\d+)% shorter/)).toBe(100 * RETRY_JITTER);
  expect(read(/longer: (\d+) attempts in a day/)).toBe(RETRY_WAITS_MS.length + 1);
  expect(read(/at most (\d+) channels/)).toBe(MAX_CHANNELS);
  expect(read(/at most (\d+), and a mail server/)).toBe(MAX_ADDRESSES);
  expect(read(/first (\d+) characters of the answer/)).toBe(MAX_ANSWER);
  expect(read(/lists the last (\d+) days/)).toBe(DELIVERY_RETENTION_MS / DAY_MS);
  expect(read(/For (\d+) hours messages carry two signatures/)).toBe(SECRET_OVERLAP_MS / 3_600_000);
});

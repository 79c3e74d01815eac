import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ALERT_MESSAGES, AlertMessageSchema, fromWire, MESSAGE_TYPES, toWire } from "@assay/contract";
import { type AlertMessage, VERDICTS } from "@assay/domain";
import { expect, test } from "vitest";
import { documentedRow } from "../../../../tests/documented.ts";
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

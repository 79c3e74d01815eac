import { expect, test } from "vitest";
import { readVectors } from "../../test-support/read-vectors.ts";
import { RecordedLog } from "../../test-support/recorded-log.ts";
import { TestClient } from "../testing.ts";

interface NameCase {
  readonly name: string;
  readonly experiment_id: string;
  readonly business_metric: string | null;
  readonly warns: boolean;
}
const { config, cases } = readVectors<{ config: unknown; cases: readonly NameCase[] }>("metric-names");

function setUp() {
  const log = new RecordedLog();
  return { log, client: new TestClient({ offline: true, bootstrap: config, log }) };
}

test.each(cases)("metric-names.json: $name", ({ experiment_id, business_metric, warns }) => {
  const { client, log } = setUp();
  const payload = { experiment_id, user_id: "u", ...(business_metric !== null && { business_metric }) };
  const event = business_metric === null ? "exposure" : "business_event";
  for (let time = 0; time < 2; time++) client.track(event, payload);
  expect(client.events).toHaveLength(2);
  const line = `warn [assay] ${experiment_id}: no metric reads the business_metric ${business_metric}`;
  expect(log.lines).toEqual(warns ? [line] : []);
});

test("100 names at most, and long ones shortened", () => {
  const { client, log } = setUp();
  for (let index = 0; index < 200; index++) {
    const business_metric = `${index} ${"x".repeat(1_000)}`;
    client.track("business_event", { experiment_id: "greeting", user_id: "u", business_metric });
  }
  expect(log.lines).toHaveLength(100);
  expect(Math.max(...log.lines.map((line) => line.length))).toBeLessThan(600);
  expect(client.events).toHaveLength(200);
});

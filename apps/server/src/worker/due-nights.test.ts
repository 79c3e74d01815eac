import { afterEach, expect, test, vi } from "vitest";
import { experimentBody } from "../test-support/experiments.ts";
import { openTestService, type TestService } from "../test-support/test-service.ts";

let service: TestService | null = null;
afterEach(async () => {
  await service?.stop();
  service = null;
});

const WARNING = "nights were missed for longer than they are caught up";

test.each([
  { daysOff: 40, missed: { experiments: 1, from: "2026-11-02", day: "2026-12-03" } },
  { daysOff: 7, missed: null },
])("a start after $daysOff days says which nights it does not catch up", async ({ daysOff, missed }) => {
  const clock = { at: Date.parse("2026-11-02T12:00:00Z"), now: () => clock.at };
  service = await openTestService({}, clock);
  await service.call("POST", "/v1/experiments", { body: experimentBody("missed") });
  await service.call("POST", "/v1/admin/pipeline-runs", { body: { day: "2026-11-01" } });
  expect(service.logged()).not.toContain(WARNING);
  clock.at += daysOff * 86_400_000 - 86_400_000;
  await service.restart();
  const ran = `"day":"${new Date(clock.at - 86_400_000).toISOString().slice(0, 10)}"`;
  await vi.waitFor(() => expect(service?.logged()).toContain(ran), 20_000);
  const lines = service.logged().split("\n");
  const warnings = lines.filter((line) => line.includes(WARNING)).map((line) => JSON.parse(line));
  expect(warnings).toMatchObject(missed === null ? [] : [missed]);
});

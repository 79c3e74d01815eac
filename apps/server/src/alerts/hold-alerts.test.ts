import { afterAll, beforeAll, expect, test } from "vitest";
import { type AlertReceiver, startAlertReceiver } from "../test-support/alert-receiver.ts";
import { experimentBody, type WireExperiment } from "../test-support/experiments.ts";
import { openTestService, type TestService } from "../test-support/test-service.ts";

interface Message {
  readonly type: string;
  readonly data: { readonly reason?: string; readonly stage?: number; readonly share?: number };
}

let now = Date.UTC(2026, 5, 10, 9);
let api: TestService;
let receiver: AlertReceiver;
beforeAll(async () => {
  receiver = await startAlertReceiver();
  api = await openTestService({ alerts: { allowsPrivate: true, smtp: null } }, { now: () => now });
  const body = { name: "on call", kind: "webhook", url: `${receiver.url}/hook` };
  expect((await api.call("POST", "/v1/alert-channels", { body })).status).toBe(201);
});
afterAll(async () => {
  await api.stop();
  await receiver.close();
});

const messages = () => receiver.at("/hook").map(({ text }) => JSON.parse(text) as Message);
const told = (count: number) =>
  expect
    .poll(() => messages().length, { timeout: 80_000 })
    .toBe(count)
    .then(() => messages().at(-1));

test("each hold, each end of one and each stage is told once, with its reason", async () => {
  const rollout = { stages: [5, 50], min_minutes: 60 };
  const { body: experiment } = await api.call<WireExperiment>("POST", "/v1/experiments", {
    body: experimentBody("tone", { assignment: "assay", rollout, guard: null }),
  });
  const post = (route: string, body?: unknown) =>
    api.call("POST", `/v1/experiments/${experiment.id}/${route}`, { body });
  await post("hold", { reason: "Errors tripled." });
  await post("hold", { reason: "Again." });
  expect(await told(1)).toMatchObject({ type: "experiment.held", data: { reason: "Errors tripled." } });
  await post("resume");
  expect(await told(2)).toMatchObject({ type: "experiment.resumed" });
  await post("hold", {});
  expect(await told(3)).toMatchObject({
    type: "experiment.held",
    data: { reason: expect.stringMatching(/held it/) },
  });
  await post("resume");
  expect(await told(4)).toMatchObject({ type: "experiment.resumed" });

  now += 61 * 60_000;
  await api.restart();
  expect(await told(5)).toMatchObject({ type: "experiment.stage", data: { stage: 2, share: 1 } });
});

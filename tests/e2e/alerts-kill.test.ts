import { setTimeout as sleep } from "node:timers/promises";
import { addDays, dayOf, startOfDay, toInstant } from "@assay/domain";
import { afterAll, expect, test } from "vitest";
import { startAlertReceiver, verified } from "../../apps/server/src/test-support/alert-receiver.ts";
import { cleanUp } from "./support/clean-up.ts";
import { type Access, createExperiment, openAccess } from "./support/experiment.ts";
import { seededRandom } from "./support/seeded-random.ts";
import { expectOk, type RunningService, startService } from "./support/service.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";
import { until } from "./support/until.ts";

const ROUNDS = 5;
const LATEST_KILL_MS = 1_500;
const USERS = 400;
const YESTERDAY = addDays(dayOf(Date.now()), -1);
const ENV = { ASSAY_ALERTS_PRIVATE_ADDRESSES: "allow" };

afterAll(cleanUp);

/** Sends yesterday's exposures, nine of ten to one arm. */
async function sendBrokenSplit(
  service: RunningService,
  { key }: Access,
  experimentId: string,
): Promise<void> {
  const events = Array.from({ length: USERS }, (_, user) => ({
    ...{ event_id: `${experimentId}-${user}`, type: "exposure", experiment_id: experimentId },
    ...{ user_id: `user-${user}`, variant: user % 10 === 0 ? "treatment" : "control" },
    timestamp: toInstant(startOfDay(YESTERDAY) + user * 60_000),
  }));
  const request = { headers: key, body: { events } };
  const ack = await expectOk(service.send<{ accepted: number }>("POST", "/v1/events", request));
  expect(ack.accepted).toBe(USERS);
}

interface Delivery {
  readonly id: string;
  readonly status: string;
  readonly message: {
    readonly type: string;
    readonly data: { readonly experiment: { readonly id: string } };
  };
}

test("each fact is one alert under one id, whenever the service is killed", async () => {
  const random = seededRandom(41);
  const receiver = await startAlertReceiver();
  let service = await startService(temporaryFolder(), ENV);
  const access = await openAccess(service);
  const { session: headers } = access;
  const body = { name: "on call", kind: "webhook", url: `${receiver.url}/hook` };
  const { id, secret } = await expectOk(
    service.send<{ id: string; secret: string }>("POST", "/v1/alert-channels", { headers, body }),
  );
  const kill = async () => {
    service.program.signal("SIGKILL");
    await service.program.exited;
    service = await startService(service.dataDir, ENV);
  };
  const night = (experimentId: string) =>
    service.send("POST", "/v1/admin/pipeline-runs", {
      headers,
      body: { day: YESTERDAY, experiment_id: experimentId },
    });
  const deliveries = async () =>
    (
      await expectOk(
        service.send<{ items: readonly Delivery[] }>("GET", `/v1/alert-channels/${id}/deliveries`, {
          headers,
        }),
      )
    ).items;
  const experiments: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const experimentId = await createExperiment(service, access, `split-${round}`);
    experiments.push(experimentId);
    await sendBrokenSplit(service, access, experimentId);
    const running = night(experimentId).catch(() => null);
    await sleep(random() * LATEST_KILL_MS); // The moment is the test's stimulus; nothing is awaited with it.
    await kill();
    await running;
  }
  // Killed while a receiver holds a message, which it never answers.
  receiver.answer("/hook", () => {});
  const held = await createExperiment(service, access, "held");
  experiments.push(held);
  await sendBrokenSplit(service, access, held);
  await night(held);
  const isAbout = (experimentId: string) => (message: { readonly text: string }) =>
    message.text.includes(experimentId);
  await until("the message is under way", () => receiver.received.some(isAbout(held)));
  await kill();
  receiver.answer("/hook", (response) => response.writeHead(204).end());
  // A night that was killed before it was stored is run again.
  await until("every split is found", async () => {
    for (const experimentId of experiments) await night(experimentId);
    return (await deliveries()).length === experiments.length;
  });
  await until(
    "everything is delivered",
    async () => (await deliveries()).every(({ status }) => status === "delivered"),
    120_000,
  );
  const all = await deliveries();
  expect(all.map(({ message }) => message.data.experiment.id).sort()).toEqual([...experiments].sort());
  for (const delivery of all) {
    const messages = receiver.received.filter(isAbout(delivery.message.data.experiment.id));
    expect(new Set(messages.map((message) => message.headers["webhook-id"]))).toEqual(new Set([delivery.id]));
    for (const message of messages) expect(verified(message, secret).type).toBe("experiment.srm");
  }
  expect(receiver.received.filter(isAbout(held)).length).toBeGreaterThan(1);
  await service.stop();
  await receiver.close();
}, 300_000);

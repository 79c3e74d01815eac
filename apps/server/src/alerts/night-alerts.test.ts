import { addDays, type Day, dayOf, startOfDay, toInstant } from "@assay/domain";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AlertReceiver, startAlertReceiver } from "../test-support/alert-receiver.ts";
import { experimentBody, metricBody, type WireExperiment } from "../test-support/experiments.ts";
import { openTestService, type TestService } from "../test-support/test-service.ts";

interface Message {
  readonly type: string;
  readonly data: {
    readonly experiment: { readonly id: string; readonly name: string };
    readonly day: string;
  };
}

const USERS = 500;
const days = [-4, -3, -2].map((back) => addDays(dayOf(Date.now()), back)) as [Day, Day, Day];
let api: TestService;
let key: string;
let receiver: AlertReceiver;
beforeAll(async () => {
  receiver = await startAlertReceiver();
  api = await openTestService({ alerts: { allowsPrivate: true, smtp: null } });
  key = await api.newKey("secret");
  const body = { name: "on call", kind: "webhook", url: `${receiver.url}/hook` };
  expect((await api.call("POST", "/v1/alert-channels", { body })).status).toBe(201);
});
afterAll(async () => {
  await api.stop();
  await receiver.close();
});

async function create(name: string): Promise<WireExperiment> {
  const metrics = [metricBody("spent", { role: "primary", target_effect: 5 })];
  const body = experimentBody(name, { metrics });
  return (await api.call<WireExperiment>("POST", "/v1/experiments", { body })).body;
}

/** New users of a day: everybody spends; treatment more by `lift`, and gets `tenths` of them. */
async function sendDay({ id }: WireExperiment, day: Day, { lift = 0, tenths = 5 } = {}): Promise<void> {
  const events = Array.from({ length: USERS }, (_, user) => {
    const isTreated = user % 10 < tenths;
    const common = {
      experiment_id: id,
      user_id: `${day}-${user}`,
      variant: isTreated ? "treatment" : "control",
      timestamp: toInstant(startOfDay(day) + 60_000 * user),
    };
    const value = 100 + ((Math.floor(user / 10) * 7919) % 50) + (isTreated ? lift : 0);
    const spent = { type: "business_event", business_metric: "spent", value };
    return [
      { ...common, event_id: `${id}-${day}-${user}-e`, type: "exposure" },
      { ...common, event_id: `${id}-${day}-${user}-s`, ...spent },
    ];
  }).flat();
  const sent = await api.call<{ accepted: number }>("POST", "/v1/events", { key, body: { events } });
  expect(sent.body.accepted).toBe(2 * USERS);
}

async function night({ id }: WireExperiment, day: Day): Promise<void> {
  await api.call("POST", "/v1/admin/pipeline-runs", { body: { day, experiment_id: id } });
}
const runAgain = ({ id }: WireExperiment, day: Day) =>
  api.call("POST", `/v1/experiments/${id}/runs`, { body: { day } });

/** What arrived about an experiment, in order; waits until nothing is on its way. */
async function messagesOf({ id }: WireExperiment): Promise<readonly (readonly [string, string])[]> {
  const [channel] = (await api.call<{ items: { id: string }[] }>("GET", "/v1/alert-channels")).body.items;
  const path = `/v1/alert-channels/${channel!.id}/deliveries?limit=200`;
  await expect
    .poll(async () => {
      const { items } = (await api.call<{ items: { status: string }[] }>("GET", path)).body;
      return items.filter(({ status }) => status !== "delivered");
    })
    .toEqual([]);
  return receiver
    .at("/hook")
    .map(({ text }) => JSON.parse(text) as Message)
    .filter(({ data }) => data.experiment?.id === id)
    .map(({ type, data }) => [type, data.day] as const);
}

test("a broken split is an alert once, and again after it was sound", async () => {
  const experiment = await create("split");
  await sendDay(experiment, days[0], { tenths: 8 });
  await night(experiment, days[0]);
  const first = ["experiment.srm", days[0]];
  expect(await messagesOf(experiment)).toEqual([first]);
  // The same night again, the next night with the same fault, and a look by hand: no news.
  await runAgain(experiment, days[0]);
  await night(experiment, days[1]);
  await api.call("POST", `/v1/experiments/${experiment.id}/analyze`);
  expect(await messagesOf(experiment)).toEqual([first]);
  // The users of the first day are set aside, so the split is sound.
  const match = { from: toInstant(startOfDay(days[0])), to: toInstant(startOfDay(days[1])) };
  const reason = "The load balancer was wrong.";
  await api.call("POST", `/v1/experiments/${experiment.id}/exclusions`, { body: { reason, match } });
  await sendDay(experiment, days[1]);
  await runAgain(experiment, days[1]);
  expect(await messagesOf(experiment)).toEqual([first]);
  // It breaks again: a new fact.
  await sendDay(experiment, days[2], { tenths: 9 });
  await night(experiment, days[2]);
  expect(await messagesOf(experiment)).toEqual([first, ["experiment.srm", days[2]]]);
});

test("an older night that is run again later says nothing", async () => {
  const experiment = await create("late");
  await sendDay(experiment, days[0]);
  await sendDay(experiment, days[1]);
  await night(experiment, days[1]);
  expect(await messagesOf(experiment)).toEqual([]);
  await sendDay({ ...experiment }, days[2]);
  await night(experiment, days[0]);
  const events = Array.from({ length: 400 }, (_, user) => ({
    ...{ event_id: `${experiment.id}-late-${user}`, type: "exposure", experiment_id: experiment.id },
    ...{ user_id: `late-${user}`, variant: "control", timestamp: toInstant(startOfDay(days[0]) + user) },
  }));
  await api.call("POST", "/v1/events", { key, body: { events } });
  await runAgain(experiment, days[0]);
  expect(await messagesOf(experiment)).toEqual([]);
  // The newest night sees those users, too.
  await runAgain(experiment, days[1]);
  expect(await messagesOf(experiment)).toEqual([["experiment.srm", days[1]]]);
});

test("a night that decides is an alert with its verdict", async () => {
  const experiment = await create("decides");
  // It loses so clearly that the first night raises the alarm.
  await sendDay(experiment, days[0], { lift: -80 });
  await night(experiment, days[0]);
  expect(await messagesOf(experiment)).toEqual([["experiment.ready", days[0]]]);
  const message = receiver.received.find(({ text }) => text.includes(experiment.id));
  expect((JSON.parse(message!.text) as Message).data).toEqual({
    ...{ experiment: { id: experiment.id, name: "decides" }, day: days[0] },
    ...{ state: "losing", treatment: "treatment" },
  });
  // The same verdict of the next night is no news.
  await sendDay(experiment, days[1], { lift: -80 });
  await night(experiment, days[1]);
  expect(await messagesOf(experiment)).toHaveLength(1);
});

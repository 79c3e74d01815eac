import { randomBytes, randomUUID } from "node:crypto";
import {
  type AlertChannel,
  type AlertDelivery,
  alertBinding,
  type ControlPlane,
  RETRY_WAITS_MS,
} from "@assay/domain";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createSealer } from "../data-folder/seal.ts";
import { type AlertReceiver, startAlertReceiver, verified } from "../test-support/alert-receiver.ts";
import { controlEngines } from "../test-support/control-engines.ts";
import { openTestControlPlane } from "../test-support/control-plane.ts";
import { createAlertSender } from "./alert-sender.ts";
import { sealTarget } from "./channel-target.ts";
import { createDispatcher } from "./dispatcher.ts";

const SECRET = `whsec_${Buffer.alloc(32, 3).toString("base64")}`;
const HOUR_MS = 3_600_000;
const sealer = createSealer(randomBytes(32));

describe.each(controlEngines("the delivery of alerts"))("on $engine, the dispatcher", (engine) => {
  let control: ControlPlane;
  let stop: () => Promise<void>;
  let receiver: AlertReceiver;
  let now = Date.now();
  const clock = { now: () => now };

  beforeAll(async () => {
    ({ control, stop } = await openTestControlPlane(engine));
    receiver = await startAlertReceiver();
  });
  // Receivers take no signature that is older than five minutes.
  beforeEach(() => {
    now = Date.now();
  });
  afterAll(async () => {
    await receiver.close();
    await stop();
  });

  const newDispatcher = (timeoutMs?: number) => {
    const settings = { allowsPrivate: true, smtp: null };
    const parts = { settings, publicUrl: null, sealer, clock };
    const alerts = createAlertSender(timeoutMs === undefined ? parts : { ...parts, timeoutMs });
    return createDispatcher({ control, alerts, clock, log: pino({ level: "silent" }), random: () => 0.5 });
  };

  async function newOrg(): Promise<string> {
    const member = { externalUserId: randomUUID(), externalOrgId: randomUUID() };
    await control.people.putMembership({ ...member, order: 1, role: "owner", isRemoved: false }, 0);
    return (await control.people.findAccess(member))!.orgId;
  }

  async function newChannel(orgId: string, path: string): Promise<AlertChannel> {
    const key = { orgId, id: randomUUID() };
    const url = path.startsWith("http") ? path : receiver.url + path;
    const channel: AlertChannel = {
      ...{ ...key, name: path, kind: "webhook", types: null, isOn: true, createdAt: now },
      target: sealTarget({ kind: "webhook", url }, key, sealer),
      secret: sealer.seal(SECRET, alertBinding(key, "secret")),
      ...{ previousSecret: null, previousUntil: null, failingSince: null },
    };
    await control.alertChannels.create(channel);
    return channel;
  }

  const raise = (orgId: string, key: string = randomUUID()) =>
    control.alerts.raise({
      ...{ type: "key.unusual", orgId, key, at: now },
      data: { day: "2026-01-01" as never, events: 2, limit: 1 },
    });
  const deliveries = async ({ orgId, id }: AlertChannel): Promise<readonly AlertDelivery[]> =>
    (await control.alertDeliveries.list(orgId, id, { limit: 200 })).items;
  const failingSince = async ({ orgId, id }: AlertChannel) =>
    (await control.alertChannels.find(orgId, id))?.failingSince;

  test("delivers each message once, signed, and under the id of its delivery", async () => {
    const channel = await newChannel(await newOrg(), `/${randomUUID()}`);
    await raise(channel.orgId);
    const dispatcher = newDispatcher();
    for (let turn = 0; turn < 3; turn++) {
      await dispatcher.run();
      await dispatcher.settle();
    }
    const [message, ...more] = receiver.at(channel.name);
    expect(more).toEqual([]);
    expect(verified(message!, SECRET)).toMatchObject({ type: "key.unusual", data: { events: 2, limit: 1 } });
    expect(() => verified({ ...message!, text: `${message!.text} ` }, SECRET)).toThrow();
    expect(await deliveries(channel)).toEqual([
      expect.objectContaining({
        ...{ id: message!.headers["webhook-id"], status: "delivered", attempts: 1, nextAt: null },
        ...{ code: 204, answer: "" },
      }),
    ]);
  });

  test("loses nothing while a receiver is down for an hour, and delivers the rest in order", async () => {
    const down = `/${randomUUID()}`;
    const channel = await newChannel(await newOrg(), down);
    receiver.answer(down, (response) => response.writeHead(503).end("maintenance\n\u0000 \t page"));
    const dispatcher = newDispatcher();
    const began = now;
    for (let minute = 0; minute < 60; minute++) {
      if (minute < 3) await raise(channel.orgId, `fact ${minute}`);
      await dispatcher.run();
      await dispatcher.settle();
      now += 60_000;
    }
    const waiting = await deliveries(channel);
    expect(waiting.map(({ status, code, answer }) => [status, code, answer])).toEqual(
      [0, 1, 2].map(() => ["waiting", 503, "maintenance page"]),
    );
    expect(receiver.at(down).length).toBeGreaterThan(9);
    expect(await failingSince(channel)).toBe(began);
    receiver.answer(down, (response) => response.writeHead(200).end("ok"));
    now = began + 3 * HOUR_MS;
    for (let turn = 0; turn < 5; turn++) {
      await dispatcher.run();
      await dispatcher.settle();
    }
    expect((await deliveries(channel)).map(({ status }) => status)).toEqual(Array(3).fill("delivered"));
    const ids = new Set(receiver.at(down).map(({ headers }) => headers["webhook-id"]));
    expect(ids.size).toBe(3);
    // Old messages are signed anew: their timestamp is that of the attempt.
    const last = receiver.at(down).at(-1)!;
    expect(Number(last.headers["webhook-timestamp"])).toBe(Math.floor(now / 1_000));
  });

  test("gives a delivery up after a day, marks its channel, and still tries the next one", async () => {
    const path = `/${randomUUID()}`;
    const channel = await newChannel(await newOrg(), path);
    receiver.answer(path, (response) => response.writeHead(404).end());
    await raise(channel.orgId);
    const dispatcher = newDispatcher();
    const began = now;
    for (const [index, wait] of [...RETRY_WAITS_MS, 0].entries()) {
      await dispatcher.run();
      await dispatcher.settle();
      expect(await failingSince(channel)).toBe(index < 4 ? null : began);
      now += wait;
    }
    expect(await deliveries(channel)).toEqual([
      expect.objectContaining({ status: "failed", attempts: 12, code: 404, nextAt: null, firstAt: began }),
    ]);
    expect(await failingSince(channel)).toBe(began);
    receiver.answer(path, (response) => response.writeHead(200).end());
    await raise(channel.orgId);
    await dispatcher.run();
    await dispatcher.settle();
    expect((await deliveries(channel)).map(({ status }) => status).sort()).toEqual(["delivered", "failed"]);
    expect(await failingSince(channel)).toBeNull();
  });

  test("waits as long as the receiver asks, and ends at once when it is gone", async () => {
    const path = `/${randomUUID()}`;
    const channel = await newChannel(await newOrg(), path);
    receiver.answer(path, (response) => response.writeHead(429, { "retry-after": "600" }).end());
    await raise(channel.orgId);
    const dispatcher = newDispatcher();
    const began = now;
    await dispatcher.run();
    await dispatcher.settle();
    expect(await deliveries(channel)).toEqual([
      expect.objectContaining({ status: "waiting", code: 429, nextAt: began + 600_000 }),
    ]);
    receiver.answer(path, (response) => response.writeHead(410).end());
    now += 600_000;
    await dispatcher.run();
    await dispatcher.settle();
    expect(await deliveries(channel)).toEqual([
      expect.objectContaining({ status: "failed", attempts: 2, code: 410, nextAt: null }),
    ]);
    expect(await failingSince(channel)).toBe(began);
  });

  test("is held up by no receiver that hangs, redirects or answers garbage", async () => {
    const [hanging, sound] = [await newOrg(), await newOrg()];
    const slow = await Promise.all(Array.from({ length: 10 }, () => newChannel(hanging, `/${randomUUID()}`)));
    for (const { name } of slow) receiver.answer(name, () => {});
    const [redirecting, garbage, fast] = await Promise.all(
      [0, 1, 2].map(() => newChannel(sound, `/${randomUUID()}`)),
    );
    receiver.answer(redirecting!.name, (response) =>
      response.writeHead(302, { location: `${receiver.url}/other` }).end(),
    );
    receiver.answer(garbage!.name, (response) => void response.socket?.end("\u0000\u0001garbage"));
    for (let count = 0; count < 5; count++) await raise(hanging);
    await raise(sound);
    const timeoutMs = 3_000;
    const dispatcher = newDispatcher(timeoutMs);
    const began = performance.now();
    await dispatcher.run();
    await expect.poll(() => receiver.at(fast!.name).length).toBe(1);
    await expect.poll(async () => (await deliveries(redirecting!))[0]?.code).toBe(302);
    await expect
      .poll(async () => (await deliveries(garbage!))[0]?.answer)
      .toMatch(/^The (request|connection)/);
    expect(performance.now() - began).toBeLessThan(timeoutMs);
    // A channel has one attempt at a time, however much waits for it.
    await dispatcher.run();
    await dispatcher.settle();
    expect(slow.map(({ name }) => receiver.at(name).length)).toEqual(Array(10).fill(1));
    expect(receiver.at("/other")).toEqual([]);
    for (const channel of [...slow, redirecting!, garbage!])
      await control.alertChannels.remove(channel.orgId, channel.id);
  });

  test("repeats under the same id what a killed process left unfinished", async () => {
    const channel = await newChannel(await newOrg(), `/${randomUUID()}`);
    await raise(channel.orgId);
    const [due] = await deliveries(channel);
    await control.alertDeliveries.claim(due!, now, now + 30_000);
    const dispatcher = newDispatcher();
    await dispatcher.run();
    await dispatcher.settle();
    expect(receiver.at(channel.name)).toEqual([]);
    now += 30_000;
    await dispatcher.run();
    await dispatcher.settle();
    expect(receiver.at(channel.name).map(({ headers }) => headers["webhook-id"])).toEqual([due!.id]);
    expect(await deliveries(channel)).toEqual([
      expect.objectContaining({ status: "delivered", attempts: 2 }),
    ]);
  });

  test("shares the work with another process: each delivers what the other does not", async () => {
    const channels = await Promise.all(
      Array.from({ length: 8 }, async () => newChannel(await newOrg(), `/${randomUUID()}`)),
    );
    await Promise.all(channels.map(({ orgId }) => raise(orgId)));
    const two = [newDispatcher(), newDispatcher()];
    await Promise.all(two.map((dispatcher) => dispatcher.run()));
    await Promise.all(two.map((dispatcher) => dispatcher.settle()));
    expect(channels.map(({ name }) => receiver.at(name).length)).toEqual(Array(8).fill(1));
  });

  test("signs with both secrets for a day after a rotation", async () => {
    const channel = await newChannel(await newOrg(), `/${randomUUID()}`);
    const previous = `whsec_${Buffer.alloc(32, 4).toString("base64")}`;
    const previousSecret = sealer.seal(previous, alertBinding(channel, "secret"));
    await control.alertChannels.put({ ...channel, previousSecret, previousUntil: now + 1 });
    const dispatcher = newDispatcher();
    for (const expected of [[SECRET, previous], [SECRET]]) {
      await raise(channel.orgId);
      await dispatcher.run();
      await dispatcher.settle();
      const last = receiver.at(channel.name).at(-1)!;
      for (const secret of expected) verified(last, secret);
      if (expected.length === 1) expect(() => verified(last, previous)).toThrow();
      now += 1;
    }
  });

  test("says of a channel under another master key what to do", async () => {
    const channel = await newChannel(await newOrg(), `/${randomUUID()}`);
    await control.alertChannels.put({ ...channel, target: "v2.a.b.c" });
    await raise(channel.orgId);
    const dispatcher = newDispatcher();
    await dispatcher.run();
    await dispatcher.settle();
    expect((await deliveries(channel))[0]?.answer).toContain("enter its address again");
  });
});

import { randomUUID } from "node:crypto";
import type { Alert, AlertChannel, AlertDelivery, ControlPlane } from "@assay/domain";
import { changeOrder } from "@assay/domain";
import { describe, expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import { NOW, newExperiment, newMember, newOrg, ODD_TEXT, readAll } from "./fixtures.ts";

const channelOf = (orgId: string, more: Partial<AlertChannel> = {}): AlertChannel => ({
  ...{ id: randomUUID(), orgId, name: ODD_TEXT, kind: "webhook", target: "sealed", secret: "secret" },
  ...{ previousSecret: null, previousUntil: null, types: null, isOn: true, createdAt: NOW },
  ...{ failingSince: null, ...more },
});

const srmOf = (orgId: string, id: string, at = NOW): Alert => ({
  ...{ type: "experiment.srm", orgId, key: id, at },
  data: { experiment: { id, name: ODD_TEXT }, day: "2026-01-02" as never, pValue: 1e-300 },
});

const unusualOf = (orgId: string, key = "2026-01-01"): Alert => ({
  ...{ type: "key.unusual", orgId, key, at: NOW },
  data: { day: key as never, events: 9_000, limit: 1_000 },
});

const testOf = (
  { orgId, id: channelId }: AlertChannel,
  more: Partial<AlertDelivery> = {},
): AlertDelivery => ({
  ...{ id: randomUUID(), orgId, channelId, message: { type: "test", at: NOW, data: { channel: ODD_TEXT } } },
  ...{ createdAt: NOW, status: "delivered", attempts: 1, firstAt: NOW, lastAt: NOW, nextAt: null },
  ...{ code: 200, answer: ODD_TEXT, ...more },
});

const deliveriesOf = (plane: ControlPlane, { orgId, id }: AlertChannel) =>
  readAll(2, (page) => plane.alertDeliveries.list(orgId, id, page));

export function alertContract(engine: () => Engine): void {
  const dueOf = async (plane: ControlPlane, now: number, orgId: string, busy: readonly string[] = []) =>
    (await plane.alertDeliveries.listDue({ now, busy, limit: 1_000 })).filter((one) => one.orgId === orgId);

  describe("alert channels", () => {
    test("are kept, changed and removed in their own org", async () => {
      const [first, second] = engine().planes;
      const [orgId, other] = [await newOrg(first), await newOrg(first)];
      const [b, a] = [channelOf(orgId, { name: "b" }), channelOf(orgId, { name: "a", kind: "email" })];
      for (const channel of [b, a]) await first.alertChannels.create(channel);
      expect(await second.alertChannels.list(orgId)).toEqual([a, b]);
      const changed: AlertChannel = {
        ...{ ...b, name: "c", target: "t", secret: "s", previousSecret: "p", previousUntil: NOW + 1 },
        ...{ types: ["experiment.srm"], isOn: false, failingSince: NOW },
      };
      await first.alertChannels.put({ ...changed, orgId: other });
      expect(await first.alertChannels.find(orgId, b.id)).toEqual(b);
      await first.alertChannels.put(changed);
      expect(await second.alertChannels.find(orgId, b.id)).toEqual(changed);
      expect(await second.alertChannels.find(other, b.id)).toBeNull();
      expect(await second.alertChannels.list(other)).toEqual([]);
      expect(await first.alertChannels.remove(other, b.id)).toBe(false);
      expect(await first.alertChannels.remove(orgId, b.id)).toBe(true);
      expect(await second.alertChannels.remove(orgId, b.id)).toBe(false);
    });

    test("keep since when they fail, until something arrives", async () => {
      const [plane] = engine().planes;
      const channel = channelOf(await newOrg(plane));
      await plane.alertChannels.create(channel);
      const since = async () => (await plane.alertChannels.find(channel.orgId, channel.id))?.failingSince;
      await plane.alertChannels.markFailing({ ...channel, orgId: await newOrg(plane) }, 1);
      expect(await since()).toBeNull();
      await plane.alertChannels.markFailing(channel, 5);
      await plane.alertChannels.markFailing(channel, 9);
      expect(await since()).toBe(5);
      await plane.alertChannels.markFailing(channel, null);
      expect(await since()).toBeNull();
    });

    test("name the orgs that take a type", async () => {
      const [plane] = engine().planes;
      const orgs = await Promise.all(["all", "one", "another", "off"].map(() => newOrg(plane)));
      const [all, one, another, off] = orgs as [string, string, string, string];
      await plane.alertChannels.create(channelOf(all));
      await plane.alertChannels.create(channelOf(one, { types: ["key.unusual"] }));
      await plane.alertChannels.create(channelOf(one));
      await plane.alertChannels.create(channelOf(another, { types: ["judge.down"] }));
      await plane.alertChannels.create(channelOf(off, { isOn: false }));
      const takers = await plane.alertChannels.listTakers("key.unusual");
      expect(takers.filter((orgId) => orgs.includes(orgId))).toEqual([all, one].sort());
    });
  });

  describe("raised facts", () => {
    test("are delivered once to each channel that takes them, until they end", async () => {
      const [first, second] = engine().planes;
      const orgId = await newOrg(first);
      const takers = [channelOf(orgId), channelOf(orgId, { types: ["judge.down", "key.unusual"] })];
      const others = [channelOf(orgId, { types: ["judge.down"] }), channelOf(orgId, { isOn: false })];
      for (const channel of [...takers, ...others]) await first.alertChannels.create(channel);
      const raised = await Promise.all(
        [first, second, first].map((plane) => plane.alerts.raise(unusualOf(orgId))),
      );
      expect(raised.filter((isNew) => isNew)).toHaveLength(1);
      const counts = async () =>
        Promise.all(
          [...takers, ...others].map(async (channel) => (await deliveriesOf(first, channel)).length),
        );
      expect(await counts()).toEqual([1, 1, 0, 0]);
      expect(await first.alerts.raise(unusualOf(orgId, "2026-01-02"))).toBe(true);
      await first.alerts.end({ ...unusualOf(orgId), orgId: await newOrg(first), at: NOW });
      expect(await first.alerts.raise(unusualOf(orgId))).toBe(false);
      await first.alerts.end({ ...unusualOf(orgId), at: NOW });
      expect(await second.alerts.raise(unusualOf(orgId))).toBe(true);
      await first.alerts.endAll("judge.down", NOW);
      expect(await first.alerts.raise(unusualOf(orgId))).toBe(false);
      await first.alerts.endAll("key.unusual", NOW);
      expect(await first.alerts.raise(unusualOf(orgId))).toBe(true);
      expect(await counts()).toEqual([4, 4, 0, 0]);
    });

    test("wait for nobody: without a channel, nothing is recorded", async () => {
      const [plane] = engine().planes;
      const orgId = await newOrg(plane);
      expect(await plane.alerts.raise(unusualOf(orgId))).toBe(false);
      await plane.alertChannels.create(channelOf(orgId));
      expect(await plane.alerts.raise(unusualOf(orgId))).toBe(true);
    });

    test("exist with the transaction that makes them, or not at all", async () => {
      const [plane] = engine().planes;
      const channel = channelOf(await newOrg(plane));
      await plane.alertChannels.create(channel);
      const failed = plane.transaction(async ({ alerts }) => {
        await alerts.raise(unusualOf(channel.orgId));
        throw new Error("killed");
      });
      await expect(failed).rejects.toThrow("killed");
      expect(await deliveriesOf(plane, channel)).toEqual([]);
      await plane.transaction(({ alerts }) => alerts.raise(unusualOf(channel.orgId)));
      expect(await deliveriesOf(plane, channel)).toHaveLength(1);
    });

    test("of an experiment are listed while they hold, and removed with it", async () => {
      const [first, second] = engine().planes;
      const orgId = await newOrg(first);
      const { id } = await newExperiment(first, orgId);
      await first.alertChannels.create(channelOf(orgId));
      await first.alerts.raise(srmOf(orgId, id));
      await first.alerts.raise(unusualOf(orgId));
      expect(await second.alerts.listOpen(orgId, id)).toEqual([{ type: "experiment.srm", key: id }]);
      expect(await second.alerts.listOpen(await newOrg(first), id)).toEqual([]);
      await first.alerts.end({ ...srmOf(orgId, id), at: NOW });
      expect(await second.alerts.listOpen(orgId, id)).toEqual([]);
      await first.alerts.raise(srmOf(orgId, id));
      await first.experiments.remove(orgId, id);
      expect(await second.alerts.listOpen(orgId, id)).toEqual([]);
    });

    test("expire with the deliveries, but not what holds or waits", async () => {
      const [plane] = engine().planes;
      const channel = channelOf(await newOrg(plane));
      const { orgId } = channel;
      await plane.alertChannels.create(channel);
      await plane.alerts.raise(unusualOf(orgId));
      const [old, young] = [testOf(channel), testOf(channel, { createdAt: NOW + 1 })];
      for (const one of [old, young]) await plane.alertDeliveries.put(one);
      await plane.alerts.expire(NOW + 1);
      const left = await deliveriesOf(plane, channel);
      expect(left.map(({ message }) => message.type)).toEqual(["test", "key.unusual"]);
      expect(left[0]).toEqual(young);
      expect(await plane.alerts.raise(unusualOf(orgId))).toBe(false);
    });

    test("go with their org, and so do its channels", async () => {
      const [plane] = engine().planes;
      const externalOrgId = `org_${randomUUID()}`;
      const { orgId } = await newMember(plane, { externalOrgId });
      const [channel, kept] = [channelOf(orgId), channelOf(await newOrg(plane))];
      for (const one of [channel, kept]) {
        await plane.alertChannels.create(one);
        await plane.alerts.raise(unusualOf(one.orgId));
      }
      expect(await plane.alerts.removeOfDeletedOrgs()).toBe(0);
      const order = changeOrder(NOW + 1, "deleted");
      await plane.people.putOrg({ externalId: externalOrgId, name: "", order, isDeleted: true }, NOW);
      expect(await dueOf(plane, NOW, orgId)).toEqual([]);
      expect(await plane.alertChannels.listTakers("key.unusual")).not.toContain(orgId);
      expect(await plane.alerts.removeOfDeletedOrgs()).toBe(1);
      expect(await plane.alertChannels.list(orgId)).toEqual([]);
      expect(await deliveriesOf(plane, channel)).toEqual([]);
      expect(await deliveriesOf(plane, kept)).toHaveLength(1);
    });
  });

  describe("deliveries", () => {
    test("are due one per channel, the longest due first, unless their channel is busy or off", async () => {
      const [plane] = engine().planes;
      const orgId = await newOrg(plane);
      const channels = [channelOf(orgId), channelOf(orgId), channelOf(orgId, { isOn: false })];
      for (const channel of channels) await plane.alertChannels.create(channel);
      const [a, b, off] = channels as [AlertChannel, AlertChannel, AlertChannel];
      const waiting = (channel: AlertChannel, nextAt: number) =>
        testOf(channel, { status: "waiting", nextAt, code: null, answer: null });
      const [a1, a2, b1] = [waiting(a, NOW), waiting(a, NOW - 5), waiting(b, NOW - 7)];
      for (const one of [a1, a2, b1, waiting(off, NOW), waiting(b, NOW + 9)])
        await plane.alertDeliveries.put(one);
      expect(await dueOf(plane, NOW, orgId)).toEqual([b1, a2]);
      expect(await dueOf(plane, NOW, orgId, [b.id])).toEqual([a2]);
      expect(await plane.alertDeliveries.listDue({ now: NOW, busy: [], limit: 1 })).toHaveLength(1);
      expect(await dueOf(plane, NOW - 6, orgId)).toEqual([b1]);
      await plane.alertDeliveries.drop(a, "Switched off.");
      expect(await dueOf(plane, NOW, orgId)).toEqual([b1]);
      const dropped = (await deliveriesOf(plane, a)).map(({ status, nextAt, answer }) => [
        status,
        nextAt,
        answer,
      ]);
      expect(dropped).toEqual([0, 1].map(() => ["failed", null, "Switched off."]));
    });

    test("are claimed by one process at a time, and ended by it alone", async () => {
      const [first, second] = engine().planes;
      const channel = channelOf(await newOrg(first));
      await first.alertChannels.create(channel);
      await first.alerts.raise(unusualOf(channel.orgId));
      const [due] = await dueOf(first, NOW, channel.orgId);
      const claims = await Promise.all(
        [first, second].map((plane) => plane.alertDeliveries.claim(due!, NOW + 1, NOW + 100)),
      );
      const [claimed] = claims.filter((claim) => claim !== null);
      expect(claims.filter((claim) => claim !== null)).toHaveLength(1);
      expect(claimed).toEqual({
        ...due,
        ...{ attempts: 1, firstAt: NOW + 1, lastAt: NOW + 1, nextAt: NOW + 100 },
      });
      expect(await dueOf(second, NOW + 99, channel.orgId)).toEqual([]);
      const [again] = await dueOf(second, NOW + 100, channel.orgId);
      const taken = await second.alertDeliveries.claim(again!, NOW + 100, NOW + 200);
      expect(taken).toMatchObject({ attempts: 2, firstAt: NOW + 1, lastAt: NOW + 100 });
      const delivered = { status: "delivered", nextAt: null, code: 204, answer: "" } as const;
      await first.alertDeliveries.finish(claimed!, { ...delivered, code: 500 });
      expect(await deliveriesOf(first, channel)).toEqual([taken]);
      await second.alertDeliveries.finish(taken!, delivered);
      expect(await deliveriesOf(first, channel)).toEqual([{ ...taken, ...delivered }]);
    });

    test("are replayed with all their attempts, unless they wait", async () => {
      const [plane] = engine().planes;
      const channel = channelOf(await newOrg(plane));
      await plane.alertChannels.create(channel);
      const failed = testOf(channel, { status: "failed", attempts: 12 });
      await plane.alertDeliveries.put(failed);
      expect(await plane.alertDeliveries.replay({ ...failed, orgId: await newOrg(plane) }, NOW)).toBeNull();
      expect(await plane.alertDeliveries.replay({ ...failed, channelId: randomUUID() }, NOW)).toBeNull();
      const replayed = { ...failed, status: "waiting", attempts: 0, firstAt: null, nextAt: NOW + 5 };
      expect(await plane.alertDeliveries.replay(failed, NOW + 5)).toEqual(replayed);
      expect(await plane.alertDeliveries.replay(failed, NOW + 6)).toBeNull();
      expect(await plane.alertDeliveries.find(failed)).toEqual(replayed);
      expect(await plane.alertDeliveries.find({ ...failed, orgId: await newOrg(plane) })).toBeNull();
      expect(await dueOf(plane, NOW + 5, channel.orgId)).toEqual([replayed]);
    });
  });
}

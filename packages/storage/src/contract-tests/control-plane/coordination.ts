import type { Change, ControlPlane, LeaderElection } from "@assay/domain";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Engine } from "./engine.ts";
import { newOrg } from "./fixtures.ts";

const SOON = { timeout: 80_000, interval: 5 };

/** Registers the tests of coordination between processes on one database. */
export function coordinationContract(engine: () => Engine): void {
  describe("coordination", () => {
    const ends: (() => Promise<void>)[] = [];
    afterEach(async () => {
      for (const end of ends.splice(0).reverse()) await end();
    });

    async function watch(plane: ControlPlane) {
      const changes: Change[] = [];
      let gaps = 0;
      const watching = await plane.watchChanges({
        onChange: (change) => void changes.push(change),
        onGap: () => {
          gaps += 1;
        },
      });
      ends.push(() => watching.close());
      return { changes, gaps: () => gaps, isCurrent: () => watching.isCurrent() };
    }

    function stand(plane: ControlPlane, onLead: (leading: AbortSignal) => Promise<void>): LeaderElection {
      const standing = plane.electLeader(onLead);
      ends.push(() => standing.stop());
      return standing;
    }

    const untilOver = (signal: AbortSignal) =>
      new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));

    test("is current from the start", async () => {
      const { isCurrent } = await watch(engine().planes[0]);
      expect(isCurrent()).toBe(true);
    });

    test("reports what another process commits, each kind with its org, and no rolled-back changes", async () => {
      const [here, there] = engine().planes;
      if (!here.isShared) return;
      const orgId = await newOrg(here);
      const { changes } = await watch(here);
      const reports = async (change: Change) =>
        vi.waitFor(() => expect(changes.splice(0)).toContainEqual(change), SOON);
      await there.transaction(({ orgs }) => orgs.bumpConfigVersion(orgId));
      await reports({ kind: "config", orgId });
      await there.keys.rotate({ orgId, scope: "secret", hash: `h-${orgId}`, sealed: null, createdAt: 1 });
      await reports({ kind: "keys", orgId });
      await there.plans.putOverride(orgId, "pro");
      await reports({ kind: "plan", orgId });
      await there.plans.putSubscription(orgId, { plan: "pro", next: null });
      await reports({ kind: "plan", orgId });
      const broken = there.transaction(async ({ orgs }) => {
        await orgs.bumpConfigVersion(orgId);
        throw new Error("no");
      });
      await expect(broken).rejects.toThrow("no");
      await there.plans.putOverride(orgId, null);
      await vi.waitFor(() => expect(changes).toContainEqual({ kind: "plan", orgId }), SOON);
      expect(changes).toEqual([{ kind: "plan", orgId }]);
    });

    test("one process leads at a time, and another takes over when it stops", async () => {
      const [here, there] = engine().planes;
      if (!here.isShared) return;
      const log: string[] = [];
      const lead = (name: string) => async (leading: AbortSignal) => {
        log.push(`${name} begins`);
        await untilOver(leading);
        log.push(`${name} ends`);
      };
      const first = stand(here, lead("first"));
      await vi.waitFor(() => expect(first.isLeader()).toBe(true), SOON);
      const second = stand(there, lead("second"));
      await first.stop();
      expect(first.isLeader()).toBe(false);
      await vi.waitFor(() => expect(second.isLeader()).toBe(true), SOON);
      expect(log).toEqual(["first begins", "first ends", "second begins"]);
    });

    test("tasks of one name run one at a time across processes; tasks of other names do not wait", async () => {
      const { planes } = engine();
      const plane = (i: number) => (planes[0].isShared ? planes[i % 2]! : planes[0]);
      const log: string[] = [];
      const work = (name: string) => async () => {
        log.push(`${name} begins`);
        await new Promise((resolve) => setTimeout(resolve, 20));
        log.push(`${name} ends`);
        if (name === "b") throw new Error("broken");
        return name;
      };
      const works = ["a", "b", "c"].map((name, i) => plane(i).withLock("one", work(name)));
      const held = plane(0).withLock("two", () => plane(1).withLock("three", async () => "done"));
      const results = await Promise.allSettled(works);
      expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
      expect(await held).toBe("done");
      for (let i = 0; i < log.length; i += 2) expect(log[i + 1]).toBe(log[i]?.replace("begins", "ends"));
    });

    test("a process without competitors leads until it stops", async () => {
      const [here] = engine().planes;
      let over = false;
      const standing = stand(here, async (leading) => {
        await untilOver(leading);
        over = true;
      });
      await vi.waitFor(() => expect(standing.isLeader()).toBe(true), SOON);
      await standing.stop();
      expect([standing.isLeader(), over]).toEqual([false, true]);
    });

    test("a process whose work fails gives up leadership and gets it again", async () => {
      let terms = 0;
      const standing = stand(engine().planes[0], async (leading) => {
        terms += 1;
        if (terms === 1) throw new Error("broken");
        await untilOver(leading);
      });
      await vi.waitFor(() => expect([standing.isLeader(), terms]).toEqual([true, 2]), SOON);
    });
  });

  describe("the installation's secrets", () => {
    test("are those of the first process", async () => {
      const [here, there] = engine().planes;
      expect(await here.installationSecrets.find("a")).toBeNull();
      const put = (plane: ControlPlane, sealed: string) =>
        plane.installationSecrets.putFirst({ name: "a", sealed, createdAt: 1 });
      const kept = await Promise.all([put(here, "one"), put(there, "two")]);
      expect(new Set(kept).size).toBe(1);
      expect(await put(there, "three")).toBe(kept[0]);
      expect(await there.installationSecrets.find("a")).toBe(kept[0]);
    });
  });

  describe("judge reports", () => {
    test("are one per process, and old ones are removed", async () => {
      const [here, there] = engine().planes;
      const fault = { detail: "no route", since: 5 };
      const report = { fault: null, perMinute: 1.5, reportedAt: 10_000_000 };
      await here.judgeReports.put({ ...report, processId: "a", reportedAt: 1 });
      await here.judgeReports.put({ ...report, processId: "b", fault });
      await there.judgeReports.put({ ...report, processId: "c" });
      await there.judgeReports.put({ ...report, processId: "c", perMinute: 2 });
      expect(await here.judgeReports.listSince(report.reportedAt)).toEqual([
        { ...report, processId: "b", fault },
        { ...report, processId: "c", perMinute: 2 },
      ]);
      expect(await here.judgeReports.listSince(0)).toHaveLength(2);
      await there.judgeReports.remove("b");
      expect(await here.judgeReports.listSince(0)).toHaveLength(1);
    });
  });
}

import { randomUUID } from "node:crypto";
import { connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Change, ControlPlane } from "@assay/domain";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { newOrg } from "../../contract-tests/control-plane/fixtures.ts";
import { openPostgresControlPlane } from "./postgres.ts";

const SOON = { timeout: 80_000, interval: 5 };
const serverUrl = process.env.ASSAY_TEST_DATABASE_URL;

if (serverUrl) describe("coordination over PostgreSQL", () => onServer(serverUrl));
else {
  console.warn("NOT RUN: coordination over PostgreSQL. Set ASSAY_TEST_DATABASE_URL to run it.");
  test.skip("NOT RUN: coordination over PostgreSQL (ASSAY_TEST_DATABASE_URL is not set)", () => {});
}

/** A proxy to the server that can go silent without closing connections, as networks do. */
async function openFragileProxy(target: URL) {
  const sockets = new Set<Socket>();
  let isSilent = false;
  const server = createServer((near) => {
    const far = connect(Number(target.port || 5432), target.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on("data", (chunk) => isSilent || to.write(chunk));
      from.on("close", () => isSilent || to.destroy());
      from.on("error", () => {});
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const url = new URL(target);
  url.hostname = "127.0.0.1";
  url.port = String(typeof address === "object" && address !== null ? address.port : 0);
  return {
    url: url.href,
    goSilent() {
      isSilent = true;
    },
    recover() {
      isSilent = false;
      for (const socket of sockets) socket.destroy();
      sockets.clear();
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

function onServer(url: string): void {
  const schema = `assay_test_${randomUUID().replaceAll("-", "")}`;
  const server = new pg.Client({ connectionString: url });
  const schemaUrl = new URL(url);
  schemaUrl.searchParams.set("options", `-c search_path=${schema}`);
  schemaUrl.searchParams.set("application_name", schema);
  const ends: (() => unknown)[] = [];
  let proxy: Awaited<ReturnType<typeof openFragileProxy>>;
  /** Connects through the proxy. */
  let here: ControlPlane;
  let there: ControlPlane;

  beforeAll(async () => {
    await server.connect();
    await server.query(`create schema ${schema}`);
  });
  afterAll(async () => {
    await server.query(`drop schema ${schema} cascade`);
    await server.end();
  });
  beforeEach(async () => {
    proxy = await openFragileProxy(schemaUrl);
    here = openPostgresControlPlane({ url: proxy.url, newId: randomUUID });
    there = openPostgresControlPlane({ url: schemaUrl.href, newId: randomUUID });
    await there.migrate();
  });
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
    await Promise.all([here.close(), there.close()]);
    proxy.close();
  });

  async function watch() {
    const changes: Change[] = [];
    let gaps = 0;
    const watching = await here.watchChanges({
      onChange: (change) => void changes.push(change),
      onGap: () => {
        gaps += 1;
      },
    });
    ends.push(() => watching.close());
    return { watching, changes, gaps: () => gaps };
  }

  const lead = (plane: ControlPlane) => {
    const standing = plane.electLeader(
      (leading) =>
        new Promise((resolve) => leading.addEventListener("abort", () => resolve(), { once: true })),
    );
    ends.push(() => standing.stop());
    return standing;
  };

  test("a session that the server ends is replaced, and a possible gap is reported", async () => {
    const orgId = await newOrg(there);
    const { watching, changes, gaps } = await watch();
    const before = gaps();
    await server.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1 and query like '%pg_notify%'",
      [schema],
    );
    await vi.waitFor(() => expect(gaps()).toBeGreaterThan(before), SOON);
    await vi.waitFor(() => expect(watching.isCurrent()).toBe(true), SOON);
    await there.orgs.bumpConfigVersion(orgId);
    await vi.waitFor(() => expect(changes).toContainEqual({ kind: "config", orgId }), SOON);
  });

  test("a silent connection is not current and loses the leadership; both come back", async () => {
    const { watching, gaps } = await watch();
    const mine = lead(here);
    await vi.waitFor(() => expect(mine.isLeader()).toBe(true), SOON);
    proxy.goSilent();
    const silentAt = performance.now();
    await vi.waitFor(() => expect(watching.isCurrent()).toBe(false), SOON);
    expect(performance.now() - silentAt).toBeLessThan(1_500);
    await vi.waitFor(() => expect(mine.isLeader()).toBe(false), SOON);
    expect(performance.now() - silentAt).toBeLessThan(3_000);
    const before = gaps();
    proxy.recover();
    await vi.waitFor(() => expect([watching.isCurrent(), mine.isLeader()]).toEqual([true, true]), SOON);
    expect(gaps()).toBeGreaterThan(before);
  });

  test("another process leads within seconds when the leader's connection goes silent for good", async () => {
    const mine = lead(here);
    await vi.waitFor(() => expect(mine.isLeader()).toBe(true), SOON);
    const heir = lead(there);
    proxy.goSilent();
    const silentAt = performance.now();
    await vi.waitFor(() => expect(mine.isLeader()).toBe(false), SOON);
    expect(heir.isLeader()).toBe(false);
    // While the proxy is open, it acts for the vanished machine; closing it stands for the server's keepalive.
    proxy.recover();
    await vi.waitFor(() => expect(heir.isLeader() || mine.isLeader()).toBe(true), SOON);
    expect(performance.now() - silentAt).toBeLessThan(8_000);
  });

  test("when notifications are lost, as behind a pooler in transaction mode, polling finds changes", async () => {
    const orgId = await newOrg(there);
    const { watching, changes } = await watch();
    const lost = vi.spyOn(pg.Client.prototype, "emit").mockImplementation(function (
      this: pg.Client,
      ...args: Parameters<pg.Client["emit"]>
    ) {
      return args[0] === "notification"
        ? true
        : Reflect.apply(Object.getPrototypeOf(pg.Client.prototype).emit, this, args);
    });
    ends.push(() => lost.mockRestore());
    await vi.waitFor(() => expect(watching.isCurrent()).toBe(false), SOON);
    await sleep(1_500);
    await there.orgs.bumpConfigVersion(orgId);
    const changedAt = performance.now();
    await vi.waitFor(() => expect(changes).toContainEqual({ kind: "config", orgId }), SOON);
    expect(performance.now() - changedAt).toBeLessThan(3_000);
    expect(watching.isCurrent()).toBe(false);
  });
}

import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findNats } from "../servers/nats.ts";
import { findPostgres } from "../servers/postgres.ts";
import { cleanUp } from "./support/clean-up.ts";
import { type Access, createExperiment, type EventAck, makeEvent, openAccess } from "./support/experiment.ts";
import { startRole, startSharedServers } from "./support/process-set.ts";
import { runCli } from "./support/program.ts";
import { expectOk, ownerSession, type RunningService } from "./support/service.ts";
import { until } from "./support/until.ts";

const CHANGES = 50;
const USERS = 3_000;

afterAll(cleanUp);

if (findPostgres() === null || findNats() === null) {
  console.warn("NOT RUN: several processes. They need PostgreSQL's server programs and a NATS server.");
  test.skip("NOT RUN: several processes (no PostgreSQL or no NATS server here)", () => {});
} else describe("two api processes and two workers", overServers);

function overServers(): void {
  let shared: Awaited<ReturnType<typeof startSharedServers>>;
  let apis: readonly [RunningService, RunningService];
  let workers: RunningService[];
  let access: Access;

  beforeAll(async () => {
    shared = await startSharedServers();
    const env = {
      ...shared.env,
      // A night that became due at a quarter past would be shared with the workers of one test: nights are due at once.
      ASSAY_NIGHTLY_AT: "00:00",
      ASSAY_RATE_CONFIG_PER_SECOND: "100000",
      ASSAY_RATE_ASSIGN_PER_SECOND: "100000",
    };
    // All at once: the first of them migrates, and the others wait.
    const [one, two, ...rest] = await Promise.all([
      startRole("api", env),
      startRole("api", env),
      startRole("worker", env),
      startRole("worker", env),
    ]);
    apis = [one, two];
    workers = rest;
    access = await openAccess(one);
  });

  test("report at the start what they serve", () => {
    expect(apis[0].program.stdout()).toMatch(/^Dashboard: .*#ticket=\S+ {3}\(works once, for one hour\)$/m);
    expect(workers[0]?.program.stdout()).toMatch(
      /^Readiness: .*\/readyz {3}\(a worker answers only probes\)$/m,
    );
    expect(workers[0]?.program.stdout()).not.toMatch(/Dashboard|works once/);
  });

  test("keep nothing in a data folder, and look like one installation to a member", async () => {
    for (const { dataDir } of [...apis, ...workers]) expect(existsSync(dataDir)).toBe(false);
    const session = await ownerSession(apis[1]);
    const seen = await Promise.all(
      apis.map((api) => expectOk(api.send<{ user_id: string }>("GET", "/v1/whoami", { headers: session }))),
    );
    expect(seen[0]?.user_id).toBe(seen[1]?.user_id);
    for (const api of apis)
      expect((await api.send("GET", "/v1/config", { headers: access.key })).status).toBe(200);
  });

  test("a worker answers probes only", async () => {
    const [worker] = workers as [RunningService];
    for (const path of ["/healthz", "/readyz", "/metrics"])
      expect([path, (await worker.send("GET", path)).status]).toEqual([path, 200]);
    expect((await worker.send("GET", "/v1/config", { headers: access.key })).status).toBe(404);
    expect((await worker.send("GET", "/")).status).toBe(404);
  });

  test("another master key is refused in one line", async () => {
    const { code, stderr } = await runCli(["serve"], {
      ...shared.env,
      ASSAY_ROLE: "worker",
      ASSAY_PORT: "0",
      ASSAY_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
    });
    expect(code).toBe(1);
    expect(stderr).toContain("ASSAY_MASTER_KEY is not the key");
  });

  test("events that one api process accepts for an experiment created in the other are stored by a worker", async () => {
    const experimentId = await createExperiment(apis[0], access, "made-here");
    const event = makeEvent(experimentId, { type: "exposure", user_id: "u", variant: "control" });
    const request = { headers: access.key, body: [event] };
    // At once: whether it has heard of it yet or not.
    const answer = await expectOk(apis[1].send<EventAck>("POST", "/v1/events", request));
    expect(answer.accepted).toBe(1);
    await until(
      "it is counted",
      async () => {
        const usage = apis[0].send<{ events: { used: number } }>("GET", "/v1/usage", {
          headers: access.session,
        });
        return (await expectOk(usage)).events.used > 0;
      },
      40_000,
    );
  });

  test(`a change takes effect in the other process within a second: ${CHANGES} times`, async () => {
    const experimentId = await createExperiment(apis[0], access, "changed");
    const took: number[] = [];
    for (let turn = 0; turn < CHANGES; turn++) {
      const body = { description: `turn ${turn}`, coverage: turn % 2 === 0 ? 0.5 : 0.6 };
      const path = `/v1/experiments/${experimentId}`;
      await expectOk(apis[turn % 2]!.send("PUT", path, { headers: access.session, body }));
      const committedAt = performance.now();
      const there = apis[(turn + 1) % 2]!;
      for (;;) {
        const { experiments } = await expectOk(
          there.send<Config>("GET", "/v1/config", { headers: access.key }),
        );
        if (experiments.some(({ id, version }) => id === experimentId && version === turn + 2)) break;
        if (performance.now() - committedAt > 5_000) throw new Error("The change did not arrive.");
      }
      took.push(performance.now() - committedAt);
    }
    took.sort((a, b) => a - b);
    console.log(
      `a change was seen after ${took[25]?.toFixed(1)} ms (median), ${took.at(-1)?.toFixed(1)} ms (longest of 50)`,
    );
    expect(took.at(-1)).toBeLessThan(1_000);
  });

  test("nobody changes arms while both assign and the weights change", async () => {
    const experimentId = await createExperiment(apis[0], access, "dealt");
    const given = new Map<string, Set<string>>();
    const faults: unknown[] = [];
    const assign = async (api: RunningService, user: number) => {
      const body = { experiment_id: experimentId, user_id: `user-${user}` };
      const { status, body: answer } = await api.send<Assignment>("POST", "/v1/assign", {
        headers: access.key,
        body,
      });
      if (status === 404) return; // Not heard of yet.
      if (status !== 200) return faults.push([status, answer]);
      if (answer.variant === null) return;
      const seen = given.get(body.user_id) ?? new Set();
      given.set(body.user_id, seen.add(answer.variant));
    };
    let isOver = false;
    const dealing = (async () => {
      for (let turn = 0; !isOver; turn++) {
        const allocation = [
          { variant: "control", weight: 1 + (turn % 5) },
          { variant: "treatment", weight: 5 - (turn % 5) },
        ];
        const body = { allocation, coverage: 0.3 + 0.1 * (turn % 7) };
        const path = `/v1/experiments/${experimentId}`;
        const { status, body: answer } = await apis[turn % 2]!.send("PUT", path, {
          headers: access.session,
          body,
        });
        if (status !== 200) faults.push([status, answer]);
        await sleep(20);
      }
    })();
    let next = 0;
    const lane = async () => {
      while (next < 2 * USERS) {
        const user = next++ % USERS;
        await Promise.all(apis.map((api) => assign(api, user)));
      }
    };
    await Promise.all(Array.from({ length: 6 }, lane));
    isOver = true;
    await dealing;
    expect(faults).toEqual([]);
    expect(given.size).toBeGreaterThan(USERS / 4);
    expect([...given].filter(([, variants]) => variants.size > 1).map(([user]) => user)).toEqual([]);
  });

  test("workers share the experiments of a night", async () => {
    const names = Array.from({ length: 12 }, (_, n) => `shared-night-${n}`);
    for (const name of names) await createExperiment(apis[0], access, name);
    // They run what is due when they start: a week of nights. The other workers have done these before the experiments were there.
    const env = { ...shared.env, ASSAY_NIGHTLY_AT: "00:00" };
    const two = await Promise.all([startRole("worker", env), startRole("worker", env)]);
    const done = () => two.map((worker) => nightRuns(worker).filter(({ name }) => names.includes(name)));
    const wanted = 7 * names.length;
    await until("all nights are there", () => {
      const all = new Set(done().flatMap((runs) => runs.map(({ day, name }) => `${day} ${name}`)));
      return all.size === wanted;
    });
    const counts = done().map((runs) => runs.length);
    console.log(`of ${wanted} experiment-days one worker analysed ${counts[0]}, the other ${counts[1]}`);
    // One that ended before the other worker was there may be done twice.
    expect(counts[0]! + counts[1]!).toBeLessThan(1.2 * wanted);
    for (const count of counts) expect(count).toBeGreaterThan(0.1 * wanted);
    for (const worker of two) await worker.stop();
  });

  test("while PostgreSQL restarts, settled users and configs are still answered, no process ends, and work continues", async () => {
    const experimentId = await createExperiment(apis[0], access, "lasting");
    const send = (api: RunningService, method: string, path: string, body?: unknown) =>
      api.send(method, path, { headers: access.key, body }).then(({ status }) => status);
    const event = () => makeEvent(experimentId, { type: "exposure", user_id: "u", variant: "control" });
    const hot = async (api: RunningService) => [
      await send(api, "GET", "/v1/config"),
      await send(api, "POST", "/v1/assign", { experiment_id: experimentId, user_id: "u" }),
      await send(api, "POST", "/v1/events", [event()]),
    ];
    // Served to client libraries: everybody is settled.
    for (const api of apis)
      await until("the experiment is served", async () => (await hot(api)).every((status) => status < 300));
    const answers: number[][] = [];
    let isOver = false;
    const asking = Promise.all(
      apis.map(async (api) => {
        while (!isOver) answers.push(await hot(api));
      }),
    );
    await shared.postgres.restart({ downMs: 2_000 });
    const upAt = performance.now();
    for (const api of apis)
      await until("the dashboard's plane works again", async () => {
        const body = { name: `after-${api.port}-${Math.trunc(performance.now())}` };
        return (
          (await api.send("GET", "/v1/experiments", { headers: access.session, body: undefined })).status ===
            200 && body
        );
      });
    console.log(
      `after the restart everything was answered again within ${(performance.now() - upAt).toFixed(0)} ms`,
    );
    await until("one worker leads again", () => leaders(workers).length === 1);
    isOver = true;
    await asking;
    expect(answers.length).toBeGreaterThan(20);
    expect(new Set(answers.map(String))).toEqual(new Set(["200,200,202"]));
    for (const { program } of [...apis, ...workers]) expect(program.hasExited()).toBe(false);
  });

  test("when the leader is killed, the other worker leads within seconds", async () => {
    const [leader] = await until("one worker leads", () => {
      const found = leaders(workers);
      return found.length === 1 && found;
    });
    const heirs = workers.filter((worker) => worker !== leader);
    leader?.program.signal("SIGKILL");
    const killedAt = performance.now();
    await until("another leads", () => leaders(heirs).length === 1);
    const took = performance.now() - killedAt;
    console.log(`another worker led ${took.toFixed(0)} ms after the leader was killed`);
    expect(took).toBeLessThan(5_000);
    workers = heirs;
  });

  test("all stop cleanly", async () => {
    for (const service of [...apis, ...workers]) await service.stop();
  });
}

interface Config {
  readonly experiments: readonly { readonly id: string; readonly version: number }[];
}

interface Assignment {
  readonly variant: string | null;
}

/** The nightly runs in a worker's log. */
function nightRuns({ program }: RunningService): readonly { readonly day: string; readonly name: string }[] {
  return program
    .stderr()
    .split("\n")
    .filter((line) => line.includes("the nightly pipeline ran"))
    .flatMap((line) => {
      const { day, runs } = JSON.parse(line) as { day: string; runs: readonly { name: string }[] };
      return runs.map(({ name }) => ({ day, name }));
    });
}

/** The workers whose log says last that they lead. */
function leaders(workers: readonly RunningService[]): readonly RunningService[] {
  return workers.filter(({ program }) => {
    const log = program.stderr();
    return (
      log.lastIndexOf("this process is now the leader") >
      log.lastIndexOf("this process is no longer the leader")
    );
  });
}

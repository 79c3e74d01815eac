import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { lockFolder, openLmdbQueue } from "@assay/storage";
import { openJetStreamQueue } from "@assay/storage/jetstream";
import SqliteFile from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cleanUp } from "./support/clean-up.ts";
import { expectOneLine } from "./support/expect-one-line.ts";
import {
  type Access,
  createExperiment,
  type Event,
  makeEvent,
  openAccess,
  postEvents,
} from "./support/experiment.ts";
import { hasServers, type OwnServers, ownServers } from "./support/own-servers.ts";
import { CLI, type Environment, NODE, runCli, startProgram } from "./support/program.ts";
import { expectOk, type RunningService, startService } from "./support/service.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";
import { until } from "./support/until.ts";

const CALLS = 8_000;
const MOVE_MS = 180_000;
/** What is written while a folder is open, whatever is done with it. */
const VOLATILE = /^(lock|events|queue\/lock\.mdb)/;

interface Day {
  readonly exposures: Readonly<Record<string, number>>;
}

const RECEIVED_AT = Date.now() - 60_000;

afterAll(cleanUp);

if (!hasServers()) {
  console.warn(
    "NOT RUN: moving a data folder to servers. Set ASSAY_TEST_DATABASE_URL, ASSAY_TEST_EVENTS_URL and ASSAY_TEST_QUEUE_URL to run it.",
  );
  test.skip("NOT RUN: moving a data folder to servers (the servers' addresses are not set)", () => {});
} else describe("a data folder that is moved to servers", overServers);

function overServers(): void {
  const dir = temporaryFolder();
  let servers: OwnServers;
  let env: Environment;
  let access: Access;
  let publishable: string;
  let late: string;
  let answers: ReadonlyMap<string, unknown>;
  let files: ReadonlyMap<string, string>;

  beforeAll(async () => {
    servers = await ownServers();
    const first = await startService(dir);
    access = await openAccess(first);
    publishable = await makeInstallation(first, access);
    late = await createExperiment(first, access, "late");
    await first.stop();
    // What keys were used for, and what usage is, is settled with the stop.
    const service = await startService(dir);
    answers = await readSettled(service, access);
    await service.stop();
    await leaveInQueue(dir, late);
    files = hashFiles(dir);
    const masterKey = readFileSync(join(dir, "master.key"), "utf8").trim();
    env = { ...servers.env, ASSAY_MASTER_KEY: masterKey };
  });

  const migrate = (more: Environment = {}) => runCli(["migrate", "--from", dir], { ...env, ...more });

  test.each<{ name: string; more: Environment; says: RegExp }>([
    { name: "a server without an address", more: { ASSAY_QUEUE_URL: "" }, says: /set ASSAY_DATABASE_URL, / },
    {
      name: "no master key",
      more: { ASSAY_MASTER_KEY: "" },
      says: /ASSAY_MASTER_KEY must be the key of the data folder .+cat .+master\.key/,
    },
    {
      name: "another master key",
      more: { ASSAY_MASTER_KEY: Buffer.alloc(32, 9).toString("base64") },
      says: /ASSAY_MASTER_KEY is not the key .+master\.key/,
    },
  ])("is refused with $name, in one line that says what to do", async ({ more, says }) => {
    expectOneLine(await migrate(more), says);
  });

  test("is refused while a service uses it, and when it is not a data folder", async () => {
    const lock = lockFolder(join(dir, "lock"));
    expectOneLine(await migrate(), /A service uses the data folder .+: stop it/);
    lock.release();
    const other = await runCli(["migrate", "--from", temporaryFolder()], env);
    expectOneLine(other, /is not a complete data folder .+ASSAY_DATA_DIR/);
  });

  test("arrives complete although the move is killed repeatedly; until then no service starts on the servers", async () => {
    await killWhen(env, dir, async () => (await servers.countEvents("raw_events").catch(() => 0)) > 0);
    const between = await runCli(["serve"], { ...env, ASSAY_PORT: "0" });
    expectOneLine(between, /run assay migrate --from DIR again/);
    await killWhen(env, dir, async () => (await servers.countEvents("stored_ids")) > 0);
    const { code, stdout, stderr } = await migrate();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/already there/);
    expect(stdout).toMatch(/raw events +[\d,]+ +[\d,]+ {2}✓/);
    expect(stdout).not.toContain("✗");
    const again = await migrate();
    expect(again.stdout).toMatch(/was already moved to these servers/);
    expect(again.code).toBe(0);
  });

  test("keeps its files unchanged", () => {
    expect(hashFiles(dir)).toEqual(files);
  });

  test("answers every request from the servers with the same bytes, also for the session from before the move", async () => {
    const dataDir = join(temporaryFolder(), "none");
    // A process that takes nothing from the queue: what waits there would change the answers.
    const service = await startService(dataDir, { ...env, ASSAY_ROLE: "api" });
    const now = await readAll(service, access);
    for (const [path, body] of answers) expect([path, now.get(path)]).toEqual([path, body]);
    await service.stop();
    expect(existsSync(dataDir)).toBe(false);
  });

  describe("and then served from the servers", () => {
    let service: RunningService;
    beforeAll(async () => {
      service = await startService(join(temporaryFolder(), "none"), env);
    });
    afterAll(() => service.stop());

    test("accepts the key that clients have, and reveals it", async () => {
      const headers = { "x-api-key": publishable };
      await expectOk(service.send("GET", "/v1/config", { headers }));
      const asked = { headers: access.session };
      const revealed = service.send<{ key: string }>("GET", "/v1/keys/publishable/reveal", asked);
      expect((await expectOk(revealed)).key).toBe(publishable);
      const body = { experiment_id: late, user_id: "somebody" };
      await expectOk(service.send("POST", "/v1/assign", { headers, body }));
    });

    test("stores the events that waited in the folder's queue, and keeps its dead letters", async () => {
      await until("the batch that waited is stored", async () => (await exposures()) === 1);
      const queue = await openJetStreamQueue({ urls: servers.env.ASSAY_QUEUE_URL.split(",") });
      try {
        const letters = await queue.listBuried(10);
        expect(letters).toMatchObject([{ reason: "Refused for a test.", receivedAt: RECEIVED_AT }]);
        await queue.replayBuried(null);
        await until("the dead letter is stored", async () => (await exposures()) === 2);
      } finally {
        await queue.close();
      }
    });

    test("stores no event again that was stored before the move", async () => {
      const used = await usedEvents();
      await postEvents(service, access, [
        lateEvent(late, "waits"),
        lateEvent(late, "is refused"),
        lateEvent(late, "new"),
      ]);
      await until("the new event is stored", async () => (await exposures()) === 3);
      expect(await usedEvents()).toBe(used + 1);
    });

    const ask = <T>(path: string) => expectOk(service.send<T>("GET", path, { headers: access.session }));
    const exposures = async () => {
      const { days } = await ask<{ days: readonly Day[] }>(`/v1/experiments/${late}/traffic`);
      return days.reduce((sum, day) => sum + (day.exposures.control ?? 0), 0);
    };
    const usedEvents = async () => (await ask<{ events: { used: number } }>("/v1/usage")).events.used;
  });

  test("does not accept a second installation into the same servers", async () => {
    const other = temporaryFolder();
    const service = await startService(other);
    await openAccess(service);
    await service.stop();
    const masterKey = readFileSync(join(other, "master.key"), "utf8").trim();
    const refused = await runCli(["migrate", "--from", other], { ...env, ASSAY_MASTER_KEY: masterKey });
    expectOneLine(refused, /two cannot share these servers/);
    // Nothing waits in the queue of the first, but its processes would take what the second accepts.
    const { ASSAY_DATABASE_URL, ASSAY_EVENTS_URL } = (await ownServers()).env;
    const shared = { ...env, ASSAY_DATABASE_URL, ASSAY_EVENTS_URL, ASSAY_MASTER_KEY: masterKey };
    expectOneLine(await runCli(["migrate", "--from", other], shared), /ASSAY_QUEUE_URL.*separate prefix/);
  });
}

/** The demo with its judgements and labels, an experiment with long texts, keys, a webhook secret, prices, feedback. */
async function makeInstallation(service: RunningService, access: Access): Promise<string> {
  const { session } = access;
  const post = <T>(path: string, body: unknown) =>
    expectOk(service.send<T>("POST", path, { headers: session, body }));
  await post("/v1/demo", {});
  await post("/v1/webhook-secrets", {});
  await post("/v1/feedback", { category: "idea", message: "Ünïcode 🎈 and 'quotes'" });
  const { key } = await post<{ key: string }>("/v1/keys", { scope: "publishable" });
  const experiment = await createExperiment(service, access, "texts");
  await postEvents(service, access, calls(experiment, CALLS));
  await post(`/v1/experiments/${experiment}/test-event`, {});
  return key;
}

/** Calls with texts of every length and script, some by one busy user. */
function calls(experiment: string, count: number): readonly Event[] {
  return Array.from({ length: count }, (_, i) => {
    const common = {
      user_id: i % 3 === 0 ? "busy" : `user ${i % 500}`,
      variant: i % 2 ? "control" : "treatment",
    };
    const text = `${i} 🎈 \\n\t"'{}[]  日本 `.repeat(i % 97);
    return { ...makeEvent(experiment, { type: "model_call", ...common }), prompt: text, latency_ms: i / 7 };
  });
}

const lateEvent = (experiment: string, id: string): Event =>
  makeEvent(experiment, {
    type: "exposure",
    event_id: id,
    user_id: id,
    variant: "control",
    timestamp: new Date(RECEIVED_AT).toISOString(),
  });

/** Leaves a batch that waits and a dead letter in the queue of a service that is stopped. */
async function leaveInQueue(dir: string, experiment: string): Promise<void> {
  const queue = await openLmdbQueue({ dir: join(dir, "queue") });
  const orgId = readOrgId(dir);
  const append = (id: string) =>
    queue.append(
      { orgId, receivedAt: RECEIVED_AT, rejected: [], experiments: { [experiment]: experiment } },
      Buffer.from(JSON.stringify([lateEvent(experiment, id)])),
    );
  await append("is refused");
  await queue.bury(await queue.claim(1, 1), "Refused for a test.");
  await append("waits");
  await queue.close();
}

function readOrgId(dir: string): string {
  const db = new SqliteFile(join(dir, "control.sqlite"), { readonly: true });
  const id = db.prepare<[], string>("select id from orgs").pluck().get();
  db.close();
  return id ?? "";
}

/** What the service answers to every question whose answer does not depend on the moment. */
async function readAll(
  service: RunningService,
  { session: headers }: Access,
): Promise<ReadonlyMap<string, string>> {
  const read = async <T>(path: string) => expectOk(service.send<T>("GET", path, { headers }));
  const experiments = await read<readonly { id: string }[]>("/v1/experiments");
  const ofExperiment = experiments.flatMap(({ id }) =>
    OF_EXPERIMENT.map((path) => `/v1/experiments/${id}${path}`),
  );
  const answers = new Map<string, string>();
  for (const path of [...PATHS, ...ofExperiment]) {
    const { status, body } = await service.send("GET", path, { headers });
    answers.set(path, `${status} ${JSON.stringify(body).replace(OF_THE_MOMENT, "")}`);
  }
  return answers;
}

/** Nights that were missed are caught up in the minute after a start. */
function readSettled(service: RunningService, access: Access): Promise<ReadonlyMap<string, string>> {
  const isUnderWay = (answers: ReadonlyMap<string, string>) =>
    [...answers.values()].some((answer) => answer.includes('"outcome":"running"'));
  return until(
    "the nights are caught up",
    async () => {
      const [before, after] = [await readAll(service, access), await readAll(service, access)];
      const isSettled =
        !isUnderWay(after) && [...after].every(([path, answer]) => before.get(path) === answer);
      return isSettled && after;
    },
    60_000,
  );
}

/** The id of a request, and when something was asked. */
const OF_THE_MOMENT = /urn:request:[\w-]+|"as_of":"[^"]+"/g;

const PATHS = [
  "whoami experiments results/summary metrics overview judges audit keys members",
  "invitations prices usage feedback webhook-secrets admin/orgs admin/overview admin/inbox billing/summary",
].flatMap((names) => names.split(" ").map((name) => `/v1/${name}`));

const OF_EXPERIMENT = [
  "",
  "/versions",
  "/results",
  "/results/history",
  "/runs",
  "/health",
  "/live",
  "/traffic",
  "/overview",
  "/events?limit=50",
  "/judgements?limit=50",
  "/labels?metric=judge_preference",
  "/labels/agreement?metric=judge_preference",
];

/** Begins the move and kills it with -9 as soon as `isTime`. */
async function killWhen(env: Environment, dir: string, isTime: () => Promise<boolean>): Promise<void> {
  const program = startProgram(NODE, [CLI, "migrate", "--from", dir], env);
  await until("it is time to kill the move", async () => program.hasExited() || (await isTime()), MOVE_MS);
  program.signal("SIGKILL");
  expect(await program.exited).toMatchObject({ signal: "SIGKILL" });
}

function hashFiles(dir: string): ReadonlyMap<string, string> {
  const names = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(dir, join(entry.parentPath, entry.name)))
    .filter((name) => !VOLATILE.test(name));
  const hash = (name: string) =>
    createHash("sha256")
      .update(readFileSync(join(dir, name)))
      .digest("hex");
  return new Map(names.sort().map((name) => [name, hash(name)]));
}

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { openSqliteControlPlane } from "@assay/storage";
import { afterAll, expect, test } from "vitest";
import { runsOnServers } from "../servers/fresh-engines.ts";
import { cleanUp } from "./support/clean-up.ts";
import { type Access, openAccess } from "./support/experiment.ts";
import { type Judge, startJudge } from "./support/judge.ts";
import { isAlive } from "./support/process-table.ts";
import { enginePids, expectOk, type RunningService, startService } from "./support/service.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";
import { until } from "./support/until.ts";

const INPUTS = 200;
const KILLS = 3;
/** Requests for answers and judgements in flight at once. */
const CONCURRENCY = 2 * 16;
const LATENCY_MS = 60;
const REHEARSED_MS = 120_000;

afterAll(cleanUp);

interface Rehearsal {
  readonly id: string;
  readonly state: string;
  readonly ended_because: string | null;
  readonly spent_usd: number;
  readonly progress: {
    readonly requests: readonly {
      readonly done: number;
      readonly failed: number;
      readonly pending: number;
    }[];
  };
}

// The dataset is put into the file of the embedded control plane.
test.skipIf(runsOnServers)(
  "kills during a rehearsal pay for nothing twice, lose nothing, and do not move its budget",
  async () => {
    const judge = await startJudge(LATENCY_MS);
    const model = judge.env.ASSAY_JUDGE_MODEL as string;
    let service = await startService(temporaryFolder(), judge.env);
    const access = await openAccess(service);
    const price = {
      model,
      effective_from: "2026-01-01",
      input_usd_per_million: 1,
      output_usd_per_million: 1,
    };
    await expectOk(service.send("PUT", "/v1/prices", { headers: access.session, body: price }));
    const datasetId = await putDataset(service, access);

    const started = await start(service, access, { datasetId, model, budget: 100 });
    const replayedAt: number[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      service = await killAmid(service, judge, 60);
      replayedAt.push((await judge.counts()).replayed);
    }
    const whole = await untilDone(service, access, started.id);
    const { charged, replayed } = await judge.counts();
    console.info(
      `${KILLS} kills: ${charged} charged, ${replayed} asked again (${replayedAt.join(", ")} so far)`,
    );
    expect(whole.ended_because).toBe("completed");
    expect(settledOf(whole)).toBe(4 * INPUTS);
    expect(charged).toBe(4 * INPUTS);
    expect(replayed).toBeGreaterThan(0);
    expect(replayed).toBeLessThanOrEqual(KILLS * CONCURRENCY);

    const budget = whole.spent_usd / 3;
    const bounded = await start(service, access, { datasetId, model, budget });
    for (let kill = 0; kill < 2; kill++) service = await killAmid(service, judge, 40);
    const spent = await untilDone(service, access, bounded.id);
    const bought = (await judge.counts()).charged - charged;
    const perRequest = spent.spent_usd / settledOf(spent);
    console.info(`budget ${budget}: ${spent.spent_usd} spent on ${settledOf(spent)} of ${bought} bought`);
    expect(spent.ended_because).toBe("budget");
    expect(spent.spent_usd).toBeGreaterThanOrEqual(budget);
    expect(spent.spent_usd).toBeLessThanOrEqual(budget + 2 * perRequest * CONCURRENCY);
    expect(bought).toBeLessThanOrEqual((budget / perRequest) * 1.5 + CONCURRENCY);
    await service.stop();
  },
  2 * REHEARSED_MS + 60_000,
);

const settledOf = ({ progress }: Rehearsal) =>
  progress.requests.reduce((sum, { done, failed }) => sum + done + failed, 0);

async function putDataset({ dataDir, send }: RunningService, { session }: Access): Promise<string> {
  const me = await expectOk(send<{ org_id: string }>("GET", "/v1/whoami", { headers: session }));
  const control = openSqliteControlPlane({ file: join(dataDir, "control.sqlite"), newId: randomUUID });
  try {
    const made = {
      ...{ id: randomUUID(), orgId: me.org_id, name: "questions", masked: {}, expiresAt: null },
      ...{ source: { kind: "upload", format: "jsonl" } as const, createdAt: Date.now(), createdBy: "me" },
    };
    const items = Array.from({ length: INPUTS }, (_, i) => ({
      ...{ id: `q-${i}`, messages: [{ role: "user", text: `What is ${i} times 7?` } as const] },
      ...{ reference: null, userId: `u-${i}`, occurredAt: null, probability: 1 },
    }));
    return (await control.datasets.put(made, items)).id;
  } finally {
    await control.close();
  }
}

function start(
  service: RunningService,
  { session }: Access,
  {
    datasetId,
    model,
    budget,
  }: { readonly datasetId: string; readonly model: string; readonly budget: number },
): Promise<Rehearsal> {
  const body = {
    dataset_id: datasetId,
    arms: ["Answer at length.", "Answer briefly."].map((prompt) => ({ name: prompt, prompt, model })),
    judge: { rubric: "Is it right?" },
    ...{ margin: 0.1, budget_usd: budget, stop_when_enough: false },
  };
  return expectOk(service.send<Rehearsal>("POST", "/v1/rehearsals", { headers: session, body }));
}

/** Kills the service once the endpoint has given this many more answers, and restarts it on its folder. */
async function killAmid(service: RunningService, judge: Judge, answers: number): Promise<RunningService> {
  const before = (await judge.counts()).charged;
  const hasAnswered = async () => (await judge.counts()).charged >= before + answers;
  await until("more is answered", hasAnswered, REHEARSED_MS);
  const engines = enginePids(service.program);
  service.program.signal("SIGKILL");
  await service.program.exited;
  await until("no engine outlives its killed service", () => !engines.some(isAlive));
  await until(
    "the endpoint is done with what it was asked",
    async () => (await judge.counts()).inFlight === 0,
  );
  return startService(service.dataDir, judge.env);
}

async function untilDone(service: RunningService, { session }: Access, id: string): Promise<Rehearsal> {
  const read = () => expectOk(service.send<Rehearsal>("GET", `/v1/rehearsals/${id}`, { headers: session }));
  await until("the rehearsal is done", async () => (await read()).state === "done", REHEARSED_MS);
  return read();
}

import { afterAll, expect, test } from "vitest";
import { runsOnServers } from "../servers/fresh-engines.ts";
import { cleanUp } from "./support/clean-up.ts";
import { type Access, type Event, makeEvent, openAccess, postEvents } from "./support/experiment.ts";
import { type Judge, startJudge } from "./support/judge.ts";
import { isAlive } from "./support/process-table.ts";
import { seededRandom } from "./support/seeded-random.ts";
import { enginePids, expectOk, metric, type RunningService, startService } from "./support/service.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";
import { until } from "./support/until.ts";

const CALLS = 2_000;
const KILLS = 6;
const CONCURRENCY = 32;
const LATENCY_MS = 100;
const DAY_MS = 86_400_000;
const SEED = 9;
/** A data folder has one process, which frees what the last one held. On servers a claim ends with its lease, and is seen at the next look. */
const CLAIMS_END_MS = runsOnServers ? 60_000 + 30_000 : 0;
const JUDGED_MS = CLAIMS_END_MS + 160_000;
const TEST_MS = 2 * CLAIMS_END_MS + 400_000;

afterAll(cleanUp);

interface Judgement {
  readonly event_id: string;
  readonly is_repeat: boolean;
  readonly state: string;
  readonly score: number | null;
  readonly reason: string | null;
  readonly attempts: number;
}

test(
  "kills during judging lose no judgement, make none twice and pay for none twice",
  async () => {
    const judge = await startJudge(LATENCY_MS);
    const random = seededRandom(SEED);
    let service = await startService(temporaryFolder(), judge.env);
    const access = await openAccess(service);
    const { id, day } = await makeTraffic(service, access);
    const run = service.send("POST", "/v1/admin/pipeline-runs", {
      headers: access.session,
      body: { day },
    });
    run.catch(() => undefined); // It goes down with the service.
    const replayedAt: number[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      service = await killAmidJudging(service, judge, 50 + Math.floor(200 * random()));
      replayedAt.push((await judge.counts()).replayed);
    }
    await until("all is judged", async () => (await metric(service, "assay_judge_backlog")) === 0, JUDGED_MS);
    const judgements = await listJudgements(service, access, id);
    const repeats = judgements.filter(({ is_repeat: isRepeat }) => isRepeat).length;
    const { charged, replayed, maxInFlight } = await judge.counts();
    const reasked = [...replayedAt, replayed].slice(1).map((total, kill) => total - (replayedAt[kill] ?? 0));
    console.info(
      `${KILLS} kills: ${judgements.length} judgements, ${charged} charged, ${replayed} asked again (${reasked.join(", ")})`,
    );
    expect(judgements).toHaveLength(CALLS + repeats);
    expect(new Set(judgements.map((one) => `${one.event_id} ${one.is_repeat}`)).size).toBe(CALLS + repeats);
    expect(repeats).toBeGreaterThan(0);
    expect(
      judgements.filter(({ state, score, reason }) => state !== "scored" || score === null || !reason),
    ).toEqual([]);
    expect(Math.max(...judgements.map(({ attempts }) => attempts))).toBe(1);
    expect(await usedEvaluations(service, access)).toBe(CALLS + repeats);
    expect(charged).toBe(CALLS + repeats);
    expect(replayed).toBeGreaterThan(0); // Kills met requests that were under way.
    if (runsOnServers) expect(replayed).toBeLessThanOrEqual(KILLS * CONCURRENCY);
    else for (const count of reasked) expect(count).toBeLessThanOrEqual(CONCURRENCY);
    expect(maxInFlight).toBeLessThanOrEqual(2 * CONCURRENCY); // Those of the killed and of the new one.
    await service.stop();
  },
  TEST_MS,
);

/** Yesterday's calls, one per user, all to be judged. */
async function makeTraffic(service: RunningService, access: Access): Promise<{ id: string; day: string }> {
  const judge = { rubric: "Is it right?", sample_rate: 1 };
  const quality = { kind: "ratio", category: "quality", method_default: "auto", metric_version: 1 };
  const body = {
    name: "judged",
    salt: "judged",
    bucket_count: 1000,
    assignment: "external",
    allocation: ["control", "treatment"].map((variant) => ({ variant, weight: 1 })),
    metrics: [{ name: "right", ...quality, shared_org_wide: false, judge }],
  };
  const created = service.send<{ id: string }>("POST", "/v1/experiments", { headers: access.session, body });
  const { id } = await expectOk(created);
  const yesterday = new Date(Date.now() - DAY_MS);
  const timestamp = yesterday.toISOString();
  const events = Array.from({ length: CALLS }, (_, user): readonly Event[] => {
    const of = { user_id: `u-${user}`, variant: user % 2 === 0 ? "control" : "treatment", timestamp };
    const texts = { prompt: `user: And ${user}?`, response: `The answer to ${user} is ${user * 7}.` };
    return [
      makeEvent(id, { type: "exposure", ...of }),
      { ...makeEvent(id, { type: "model_call", ...of }), ...texts },
    ];
  });
  await postEvents(service, access, events.flat());
  return { id, day: timestamp.slice(0, 10) };
}

/** Kills the service once the judge has given this many more answers, and restarts it on its folder. */
async function killAmidJudging(
  service: RunningService,
  judge: Judge,
  answers: number,
): Promise<RunningService> {
  const before = (await judge.counts()).charged;
  const hasJudged = async () => (await judge.counts()).charged >= before + answers;
  await until("more is judged", hasJudged, JUDGED_MS);
  const engines = enginePids(service.program);
  service.program.signal("SIGKILL");
  await service.program.exited;
  await until("no engine outlives its killed service", () => !engines.some(isAlive));
  await until("the judge is done with what it was asked", async () => (await judge.counts()).inFlight === 0);
  return startService(service.dataDir, judge.env);
}

async function listJudgements(
  service: RunningService,
  { session }: Access,
  id: string,
): Promise<readonly Judgement[]> {
  const all: Judgement[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const path = `/v1/experiments/${id}/judgements?limit=200${query}`;
    const page = service.send<{ items: Judgement[]; next_cursor: string | null }>("GET", path, {
      headers: session,
    });
    const { items, next_cursor: next } = await expectOk(page);
    all.push(...items);
    cursor = next;
  }
  return all;
}

async function usedEvaluations(service: RunningService, { session }: Access): Promise<number> {
  const usage = service.send<{ judge_evaluations: { used: number } }>("GET", "/v1/usage", {
    headers: session,
  });
  return (await expectOk(usage)).judge_evaluations.used;
}

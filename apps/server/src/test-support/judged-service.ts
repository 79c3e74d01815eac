import { addDays, type Clock, type Day, dayOf, startOfDay, toInstant } from "@assay/domain";
import type { Settings } from "../settings.ts";
import { experimentBody, metricBody, type WireExperiment } from "./experiments.ts";
import { type JudgeServer, openJudgeServer } from "./judge-server.ts";
import { openTestService, type TestService } from "./test-service.ts";

/** A service with a judge of its own. */
export interface JudgedService {
  readonly api: TestService;
  readonly judge: JudgeServer;
  /** A secret key of the org. */
  readonly key: string;
  /** Another model than the judge's own, or that one (null): from the next start on. */
  useModel(model: string | null): void;
  close(): Promise<void>;
}

interface Options {
  readonly settings?: Partial<Settings>;
  readonly clock?: Clock;
  /** As in `useModel`. */
  readonly model?: string;
  readonly judgeTimeoutMs?: number;
}

/** Starts a judge and a service that asks it. */
export async function openJudgedService({
  settings,
  clock,
  model,
  ...more
}: Options = {}): Promise<JudgedService> {
  const judge = await openJudgeServer();
  const ofModel = (name: string | null) => ({ ...judge.settings, model: name ?? judge.settings.model });
  const { url, apiKey } = judge.settings;
  const all = { rehearsal: { url, apiKey, isJudges: true }, ...settings, judge: ofModel(model ?? null) };
  const api = await openTestService(all, clock, more);
  const key = await api.newKey("secret");
  return {
    api,
    judge,
    key,
    useModel: (name) => {
      all.judge = ofModel(name);
    },
    async close() {
      await api.stop();
      await judge.close();
    },
  };
}

export const yesterday = (now = Date.now()): Day => addDays(dayOf(now), -1);

/** Creates an experiment whose only metric is "right", scored by the judge: all calls unless `judge` says otherwise. */
export async function judgedExperiment(
  { api }: Pick<JudgedService, "api">,
  name: string,
  judge: Readonly<Record<string, unknown>> = {},
): Promise<WireExperiment> {
  const of = { rubric: "Is it right?", sample_rate: 1, ...judge };
  const metrics = [metricBody("right", { kind: "ratio", category: "quality", judge: of })];
  const variants = [
    { key: "control", prompt: "You are a helpful assistant who answers at length." },
    { key: "treatment", prompt: "You are a helpful assistant who is always brief." },
  ];
  const body = experimentBody(name, { metrics, variants });
  const { status, body: created } = await api.call<WireExperiment>("POST", "/v1/experiments", { body });
  if (status !== 201) throw new Error(JSON.stringify(created));
  return created;
}

interface Calls {
  readonly users: number;
  /** Each user's; default 1. */
  readonly callsPerUser?: number;
  /** Default: yesterday. */
  readonly day?: Day;
  /** Numbers of users all of whose calls fail. */
  readonly failing?: readonly number[];
}

/** Sends the calls of a day, each user's after an exposure: users with even numbers are in control. */
export async function sendCalls(
  { api, key }: Pick<JudgedService, "api" | "key">,
  { id, name }: WireExperiment,
  { users, callsPerUser = 1, day = yesterday(), failing = [] }: Calls,
): Promise<void> {
  const events = Array.from({ length: users }, (_, user) => {
    const variant = user % 2 === 0 ? "control" : "treatment";
    const common = { experiment_id: id, user_id: `${day}-u${user}`, variant };
    const at = startOfDay(day) + 60_000 + user;
    const idOf = (what: string) => `${name}-${day}-${user}-${what}`;
    const exposure = { ...common, event_id: idOf("seen"), type: "exposure", timestamp: toInstant(at) };
    const calls = Array.from({ length: callsPerUser }, (_, call) => ({
      ...common,
      event_id: idOf(`call-${call}`),
      type: "model_call",
      timestamp: toInstant(at + 1_000 * (call + 1)),
      prompt: `user: What is ${user} and ${call}?`,
      ...(failing.includes(user)
        ? { error: true }
        : { response: `It is ${user + call}, as user ${user} may know.` }),
    }));
    return [exposure, ...calls];
  }).flat();
  for (let start = 0; start < events.length; start += 1_000) {
    const body = { events: events.slice(start, start + 1_000) };
    const sent = await api.call<{ accepted: number }>("POST", "/v1/events", { key, body });
    if (sent.body.accepted !== body.events.length) throw new Error(JSON.stringify(sent.body));
  }
}

/** Runs the night of a day: it draws, waits for the judge, and analyses. */
export async function runNight({ api }: Pick<JudgedService, "api">, day: Day = yesterday()): Promise<void> {
  const { status, body } = await api.call("POST", "/v1/admin/pipeline-runs", { body: { day } });
  if (status !== 200) throw new Error(JSON.stringify(body));
}

export interface WireJudgement {
  readonly event_id: string;
  readonly is_repeat: boolean;
  readonly metric_version: number;
  readonly unit_id: string | null;
  readonly variant: string;
  readonly probability: number;
  readonly state: string;
  readonly score: number | null;
  readonly reason: string | null;
  readonly cause: string | null;
  readonly detail: string | null;
  readonly attempts: number;
  readonly input_tokens: number;
  readonly cost_usd: number | null;
}

/** Lists all judgements of an experiment. */
export async function listJudgements(
  { api }: Pick<JudgedService, "api">,
  { id }: WireExperiment,
): Promise<readonly WireJudgement[]> {
  const all: WireJudgement[] = [];
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const path = `/v1/experiments/${id}/judgements?limit=100${query}`;
    const { body } = await api.call<{ items: WireJudgement[]; next_cursor: string | null }>("GET", path);
    all.push(...body.items);
    cursor = body.next_cursor;
  } while (cursor !== null);
  return all;
}

export interface WireJudges {
  readonly fault: { readonly detail: string } | null;
  readonly lock: string | null;
  readonly backlog: number;
  readonly cost_usd_today: number;
  readonly items: readonly {
    readonly experiment_name: string;
    readonly metric_version: number;
    readonly state: string;
    readonly unpriced: number;
    readonly failures: readonly { readonly cause: string; readonly count: number }[];
  }[];
}

/** Reads what the judges do. */
export const readJudges = async ({ api }: Pick<JudgedService, "api">): Promise<WireJudges> =>
  (await api.call<WireJudges>("GET", "/v1/judges")).body;

/** Reads the judge evaluations that the month counts. */
export async function usedEvaluations({ api }: Pick<JudgedService, "api">): Promise<number> {
  const usage = await api.call<{ judge_evaluations: { used: number } }>("GET", "/v1/usage");
  return usage.body.judge_evaluations.used;
}

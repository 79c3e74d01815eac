import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ApiKey, ExperimentSchema, PipelineRunReport, ResultsSchema } from "@assay/contract";
import { addDays, type Day, dayOf } from "@assay/domain";
import {
  DEMO_DAYS,
  DEMO_LABELLED_NIGHT,
  DEMOS,
  type Demo,
  demoDays,
  type Service,
  startDemoJudge,
  startService,
} from "@assay/server";
import { parseSettings, type Settings, SettingsError } from "@assay/server/settings";
import type { Static } from "typebox";
import { type Api, createApi } from "../api.ts";
import { CommandError } from "../command-error.ts";
import { issueToken } from "../issue-token.ts";
import { createLogger } from "../logger.ts";
import { readOptions } from "../options.ts";
import { printResults } from "../print-results.ts";
import { listenForStop } from "../stay-up.ts";
import { labelAnswers } from "./label-answers.ts";
import { replayTraffic } from "./replay-traffic.ts";

/** The demo uses no other service, whatever the settings say. */
const EMBEDDED = { databaseUrl: null, eventsUrl: null, identity: { kind: "local" }, billing: null } as const;

/** Replays the bundled experiments from first assignment to decision in a temporary folder, then keeps the service running. */
export async function demo(args: readonly string[]): Promise<void> {
  readOptions(args, []);
  const dataDir = await mkdtemp(join(tmpdir(), "assay-demo-"));
  const removeFolder = () => rm(dataDir, { recursive: true, force: true });
  try {
    const judge = await startDemoJudge();
    const settings = {
      ...parseSettings(process.env),
      ...EMBEDDED,
      judge: { ...judge, apiKey: null },
      dataDir,
    };
    const ids = demoIds();
    const service = await step("Starting the service on embedded engines", () =>
      startOnFreePort(settings, ids.newId),
    );
    const stopped = listenForStop().stayUp(service);
    const api = createApi(service.url, await issueToken(settings));
    const key = await api.call<Static<typeof ApiKey>>("POST", "/v1/keys", { scope: "publishable" });
    const replay = { settings, ids, api, apiKey: key.key };
    const dashboard = `Dashboard:  ${service.signInUrl}   (works once)`;
    await decide(DEMOS["support-tone"], SUPPORT_TONE_ID, replay);
    console.log(`${dashboard}\n\nA second experiment follows: recorded real answers, without their texts.`);
    await decide(DEMOS["answer-style"], ANSWER_STYLE_ID, replay);
    console.log(dashboard);
    console.log(`API:        ${service.url}/docs`);
    console.log("The service stays up. Stop it with Ctrl+C, which also removes its data.");
    await stopped;
    await judge.close();
  } finally {
    await removeFolder();
  }
  process.exit(0);
}

/** Starts on the usual port, or on a free one when the usual port is in use, for example by another Assay. */
async function startOnFreePort(settings: Settings, newId: () => string): Promise<Service> {
  // Logs only errors: the nights of two weeks run at once, and slow requests are normal.
  const log = createLogger("error");
  const sources = { newId };
  try {
    return await startService(settings, log, sources);
  } catch (error) {
    if (!(error instanceof SettingsError) || process.env.ASSAY_PORT) throw error;
    return startService({ ...settings, port: 0 }, log, sources);
  }
}

interface DemoIds {
  readonly newId: () => string;
  /** Makes `id` the next id. */
  pinNext(id: string): void;
}

/** An experiment's id determines who gets which variant. It is fixed, so that every demo prints the figures in docs/demo.md. */
const ANSWER_STYLE_ID = "00000000-0000-7000-8000-000000000004";
const SUPPORT_TONE_ID = "00000000-0000-7000-8000-000000000011";
/** The author of the labels: a rule, because no person labeled the answers. */
const SIMULATED_READERS = "simulated-readers@assay.local";

function demoIds(): DemoIds {
  let pinned: string | null = null;
  return {
    newId() {
      const id = pinned ?? randomUUID();
      pinned = null;
      return id;
    },
    pinNext(id) {
      pinned = id;
    },
  };
}

interface DemoParts {
  readonly settings: Settings;
  readonly ids: DemoIds;
  readonly api: Api;
  /** The publishable key that the client uses. */
  readonly apiKey: string;
}

/** Replays a demo as the experiment with the id, and prints the table of its last night. */
async function decide(demo: Demo, id: string, { settings, ids, api, apiKey }: DemoParts): Promise<void> {
  ids.pinNext(id);
  const experiment = await step(`Creating the experiment "${demo.experiment.name}"`, () =>
    api.call<Static<typeof ExperimentSchema>>("POST", "/v1/experiments", demo.experiment),
  );
  // The last complete UTC days: the newest is the day that tonight's run would analyze.
  const firstDay = addDays(dayOf(Date.now()), -DEMO_DAYS);
  await replayTraffic({ demo, baseUrl: api.baseUrl, apiKey, experiment: experiment.name, firstDay });
  const days = demoDays(firstDay);
  await step(`Running the nightly pipeline for ${days.length} days, ${days[0]} to ${days.at(-1)}`, () =>
    runNights(api, days, { demo, experimentId: experiment.id, settings }),
  );
  const results = await api.call<Static<typeof ResultsSchema>>(
    "GET",
    `/v1/experiments/${experiment.id}/results`,
  );
  console.log(`\nExperiment "${experiment.name}": ${demo.experiment.description}\n`);
  printResults(results);
}

/** Runs the nights in order, because each builds on the previous ones. The first ones have too few users for a result. */
async function runNights(
  api: Api,
  days: readonly Day[],
  {
    demo,
    experimentId,
    settings,
  }: { readonly demo: Demo; readonly experimentId: string; readonly settings: Settings },
): Promise<void> {
  const run = (some: readonly Day[]) =>
    api.call<Static<typeof PipelineRunReport>>("POST", "/v1/admin/pipeline-runs", {
      from_day: some[0],
      day: some.at(-1),
      experiment_id: experimentId,
    });
  await run(days.slice(0, DEMO_LABELLED_NIGHT));
  const token = await issueToken(settings, { email: SIMULATED_READERS, role: "member" });
  await labelAnswers(createApi(api.baseUrl, token), experimentId, demo);
  const { runs } = await run(days.slice(DEMO_LABELLED_NIGHT));
  const last = runs.at(-1);
  // Shortly after midnight, the service's schedule may have run the night already. The detail then has the outcome.
  const outcome = last?.outcome === "already-done" ? last.detail : last?.outcome;
  // Withheld is also a result: in one demo of a thousand, the traffic split fails the check by chance.
  if (outcome !== "computed" && outcome !== "withheld")
    throw new CommandError(
      `The last nightly run ended as "${last?.outcome}": ${last?.detail ?? "no detail"}.`,
    );
}

async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  process.stdout.write(`${name} … `);
  const startedAt = performance.now();
  const result = await work();
  console.log(`done (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
  return result;
}

import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ApiKey, ExperimentSchema, PipelineRunReport, ResultsSchema } from "@assay/contract";
import { addDays, type Day, dayOf } from "@assay/domain";
import {
  DEMO_DAYS,
  DEMO_EXPERIMENT,
  DEMO_LABELLED_NIGHT,
  demoDays,
  parseSettings,
  type Service,
  type Settings,
  SettingsError,
  startDemoJudge,
  startService,
} from "@assay/server";
import type { Static } from "typebox";
import { type Api, createApi } from "../api.ts";
import { CommandError } from "../command-error.ts";
import { issueToken } from "../issue-token.ts";
import { createLogger } from "../logger.ts";
import { printResults } from "../print-results.ts";
import { listenForStop } from "../stay-up.ts";
import { labelAnswers } from "./label-answers.ts";
import { replayTraffic } from "./replay-traffic.ts";

/** The demo needs no other service, whatever the settings say. */
const EMBEDDED = { databaseUrl: null, eventsUrl: null, identity: { kind: "local" }, billing: null } as const;

/** Replays the bundled real experiment from its first assignment to its decision in a temporary folder, then stays up. */
export async function demo(): Promise<void> {
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
    await decide(service, { settings, ids });
    console.log(`Dashboard:  ${service.signInUrl}   (works once)`);
    console.log(`API:        ${service.url}/docs`);
    console.log("The service stays up. Stop it with Ctrl+C, which also removes its data.");
    await stopped;
    await judge.close();
  } finally {
    await removeFolder();
  }
  process.exit(0);
}

/** Starts on the usual port, or on any free one when that is in use, perhaps by another Assay. */
async function startOnFreePort(settings: Settings, newId: () => string): Promise<Service> {
  const log = createLogger("warn");
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
  /** Makes this the next id. */
  pinNext(id: string): void;
}

/** The experiment's id determines who gets which variant. It is fixed, so that every demo prints the figures in docs/demo.md. */
const EXPERIMENT_ID = "00000000-0000-7000-8000-000000000004";

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
}

async function decide(service: Service, { settings, ids }: DemoParts): Promise<void> {
  const api = createApi(service.url, await issueToken(settings));
  const key = await api.call<Static<typeof ApiKey>>("POST", "/v1/keys", { scope: "publishable" });
  ids.pinNext(EXPERIMENT_ID);
  const experiment = await step("Creating the experiment", () =>
    api.call<Static<typeof ExperimentSchema>>("POST", "/v1/experiments", DEMO_EXPERIMENT),
  );
  // The last whole UTC days, up to the one that tonight's run would analyze.
  const firstDay = addDays(dayOf(Date.now()), -DEMO_DAYS);
  await replayTraffic({ baseUrl: service.url, apiKey: key.key, experiment: experiment.name, firstDay });
  const days = demoDays(firstDay);
  await step(`Running the nightly pipeline for ${days.length} days, ${days[0]} to ${days.at(-1)}`, () =>
    runNights(api, days, experiment.id),
  );
  const results = await api.call<Static<typeof ResultsSchema>>(
    "GET",
    `/v1/experiments/${experiment.id}/results`,
  );
  console.log(`\nExperiment "${experiment.name}": ${DEMO_EXPERIMENT.description}\n`);
  printResults(results);
}

/** Runs the nights in order, because each builds on the previous ones. The first ones have too few users for a result. */
async function runNights(api: Api, days: readonly Day[], experimentId: string): Promise<void> {
  let last: Static<typeof PipelineRunReport>["runs"][number] | undefined;
  for (const [index, day] of days.entries()) {
    if (index === DEMO_LABELLED_NIGHT) await labelAnswers(api, experimentId);
    const body = { day, experiment_id: experimentId };
    const { runs } = await api.call<Static<typeof PipelineRunReport>>(
      "POST",
      "/v1/admin/pipeline-runs",
      body,
    );
    last = runs[0];
  }
  // Withheld is a result, too: in one demo of a thousand, the traffic split fails the check by chance.
  if (last?.outcome !== "computed" && last?.outcome !== "withheld")
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

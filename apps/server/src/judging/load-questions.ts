import {
  blindCall,
  dayOf,
  type Experiment,
  type ExperimentStore,
  type Judge,
  type JudgedText,
  type JudgementOutcome,
  type JudgementTask,
  judgeVersion,
  type ModelPrice,
  priceFor,
  rubricMetrics,
  SCALE_RANGES,
  transcriptOf,
} from "@assay/domain";
import type { Deps } from "../deps.ts";
import { loadPrices } from "../prices/price-lists.ts";

/** A question for the judge, with what is needed to ask it. */
export interface Question {
  readonly task: JudgementTask;
  readonly judge: Judge;
  readonly judged: JudgedText;
  /** Null when the model has no price. */
  readonly price: ModelPrice | null;
}

/** A judgement that is decided without the judge. */
export interface Settled {
  readonly task: JudgementTask;
  readonly outcome: JudgementOutcome;
}

export interface Work {
  readonly questions: readonly Question[];
  readonly settled: readonly Settled[];
}

type WorkDeps = Pick<Deps, "events" | "clock"> & {
  readonly control: Pick<Deps["control"], "experiments" | "modelPrices">;
  readonly model: string;
};

/** Loads the texts of claimed judgements, with one query per experiment, and makes blind questions from them. */
export async function loadQuestions(tasks: readonly JudgementTask[], deps: WorkDeps): Promise<Work> {
  const byExperiment = Map.groupBy(tasks, ({ experimentId }) => experimentId);
  const parts = await Promise.all([...byExperiment.values()].map((ofOne) => workOfExperiment(ofOne, deps)));
  const wanted = new Map(parts.flatMap((part) => [...part]));
  const questions: Question[] = [];
  const settled: Settled[] = [];
  // Keep the order of the claim, which mixes experiments.
  for (const task of tasks) {
    const found = wanted.get(task);
    if (found === undefined) continue;
    if ("outcome" in found) settled.push(found);
    else questions.push(found);
  }
  return { questions, settled };
}

type Prepared = readonly [JudgementTask, Question | Settled];

async function workOfExperiment(
  tasks: readonly JudgementTask[],
  deps: WorkDeps,
): Promise<readonly Prepared[]> {
  const [{ orgId, experimentId }] = tasks as readonly [JudgementTask];
  const { control, model, clock } = deps;
  const experiment = await control.experiments.find(orgId, experimentId);
  const asked = tasks.filter(({ hasFailed }) => !hasFailed);
  const [texts, { prices }] = await Promise.all([
    experiment === null ? new Map<string, JudgedText>() : loadTexts(experiment, asked, deps),
    loadPrices(orgId, dayOf(clock.now()), deps),
  ]);
  const price = priceFor(prices, model);
  return tasks.map((task) => {
    const judge = experiment && judgeOf(task, experiment, model);
    if (!judge) return [task, { task, outcome: SUPERSEDED }];
    if (task.hasFailed) return [task, { task, outcome: failedCall(judge) }];
    const judged = texts.get(task.eventId);
    return [task, judged === undefined ? expired(task) : { task, judge, judged, price }];
  });
}

/** A call that is shown to a judge or a person. */
type ShownCall = Pick<JudgementTask, "eventId" | "unitId" | "occurredAt" | "hasFailed">;

interface TextDeps {
  readonly events: Deps["events"];
  /** Of all variants (`loadPrompts`). */
  readonly prompts: readonly string[];
}

async function loadTexts(experiment: Experiment, calls: readonly ShownCall[], deps: WorkDeps) {
  const prompts = await loadPrompts(experiment, deps.control);
  return loadJudgedTexts(experiment, calls, { ...deps, prompts });
}

/** Loads what a judge may see, by event id: the call with its answer, or its whole unit. Leaves out expired texts. */
export async function loadJudgedTexts(
  experiment: Experiment,
  calls: readonly ShownCall[],
  { events, prompts }: TextDeps,
): Promise<ReadonlyMap<string, JudgedText>> {
  const { orgId, id: experimentId } = experiment;
  const { unit } = experiment.config;
  if (unit === "user") {
    const ids = calls.map(({ eventId }) => eventId);
    const texts = await events.loadTexts(orgId, experimentId, ids);
    return new Map(
      calls.flatMap(({ eventId, hasFailed }) => {
        const { prompt, response = null } = texts.get(eventId) ?? {};
        // A failed call has no answer.
        if (prompt === undefined || (response === null && !hasFailed)) return [];
        return [[eventId, blindCall({ prompt, response: response ?? "" }, prompts)]];
      }),
    );
  }
  const units = calls.flatMap(({ unitId, eventId, occurredAt }) =>
    unitId === null ? [] : [{ unitId, eventId, occurredAt }],
  );
  const found = await events.loadTranscripts({ orgId, experimentId, unit, units });
  return new Map(
    [...found].flatMap(([eventId, soFar]) => {
      const transcript = transcriptOf(unit, soFar, prompts);
      return transcript === null ? [] : [[eventId, transcript]];
    }),
  );
}

/** Finds the judge that the call was drawn for; null when the metric or its judge has changed since. */
function judgeOf(task: JudgementTask, experiment: Experiment, model: string): Judge | null {
  const metric = rubricMetrics(experiment).find(
    ({ name, metricVersion }) => name === task.metric && metricVersion === task.metricVersion,
  );
  if (metric === undefined || judgeVersion(model, metric.judge, experiment.config.unit) !== task.judgeVersion)
    return null;
  return metric.judge;
}

const SUPERSEDED: JudgementOutcome = {
  kind: "failed",
  cause: "superseded",
  detail: "The metric or its judge changed after the call was drawn, so a score would not be used.",
};

/** Scores a failed call with the minimum: leaving it out would make an arm that often fails look good. */
function failedCall({ scale }: Judge): JudgementOutcome {
  const { min: score } = SCALE_RANGES[scale];
  return { kind: "scored", score, reason: "The call failed.", answerLength: 0, isCut: false };
}

function expired(task: JudgementTask): Settled {
  const detail = "The call's texts expired before it was judged.";
  return { task, outcome: { kind: "failed", cause: "text-expired", detail } };
}

/** Loads the prompts of all variants in every experiment version: a call may predate the current one. */
export async function loadPrompts(
  { orgId, id }: Pick<Experiment, "orgId" | "id">,
  { experiments }: { readonly experiments: Pick<ExperimentStore, "listVersions"> },
): Promise<readonly string[]> {
  const versions = await experiments.listVersions(orgId, id);
  const prompts = versions.flatMap(({ config }) => config.variants.map(({ prompt }) => prompt));
  return [...new Set(prompts)].filter((prompt) => prompt !== null);
}

import { setImmediate as nextTurn } from "node:timers/promises";
import { COMPARED_ANSWER_LENGTH, MAX_COMPARED } from "@assay/contract";
import { type AnsweredCall, blindCall, type ComparedCall, type Experiment } from "@assay/domain";
import type { Deps } from "../deps.ts";
import { loadPrompts } from "../judging/load-questions.ts";
import { loadArms } from "../load-arms.ts";
import { loadExperimentPrices } from "../prices/price-lists.ts";

/** The newest calls are compared: enough for questions to repeat, and few enough to read at once. */
const CALLS = 1_500;
/** Longer prompts carry documents, not questions; bytes. */
const LONGEST_PROMPT = 32_768;
const LONGEST_QUESTION = 2_000;
/** How many characters of prompts are read, in a few milliseconds, before other requests get a turn. */
const CHARACTERS_PER_TURN = 100_000;

/** A call with what its user asked. */
export type AskedCall = ComparedCall & AnsweredCall;

/** The calls of arms, with their arm as the variant. */
export async function inArms(
  calls: readonly ComparedCall[],
  experiment: Experiment,
  deps: Pick<Deps, "control" | "events">,
): Promise<readonly (ComparedCall & { readonly variant: string })[]> {
  const arms = await loadArms(calls, experiment, deps);
  return calls.flatMap((call) => {
    const variant = arms.get(call) ?? null;
    return variant === null ? [] : [{ ...call, variant }];
  });
}

/**
 * Loads an experiment's newest calls, an equal share of each variant (`limit` in total), or those of `eventIds`, with
 * their questions without the variant's prompt. Calls whose question cannot be separated from the prompt are left out.
 */
export async function loadAskedCalls(
  experiment: Experiment,
  { eventIds, limit = CALLS }: { readonly eventIds?: readonly string[] | undefined; readonly limit?: number },
  { control, events }: Pick<Deps, "control" | "events">,
): Promise<readonly AskedCall[]> {
  const { prices } = await loadExperimentPrices(experiment, { control });
  const calls = await events.listCompared({
    orgId: experiment.orgId,
    experimentId: experiment.id,
    prices,
    ...(eventIds !== undefined && { eventIds }),
    perVariant: eventIds === undefined ? Math.ceil(limit / experiment.config.variants.length) : MAX_COMPARED,
    limit,
    longestPrompt: LONGEST_PROMPT,
    answerLength: COMPARED_ANSWER_LENGTH,
  });
  const prompts = await loadPrompts(experiment, control);
  const asked: AskedCall[] = [];
  let read = 0;
  for (const call of await inArms(calls, experiment, { control, events })) {
    read += call.prompt.length;
    if (read > CHARACTERS_PER_TURN) {
      await nextTurn();
      read = 0;
    }
    const { input } = blindCall({ prompt: call.prompt, response: "" }, prompts);
    if (input === null) continue;
    const answer = call.hasFailed ? null : call.response;
    asked.push({ ...call, question: input.slice(0, LONGEST_QUESTION), answer });
  }
  return asked;
}

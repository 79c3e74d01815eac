import type { Experiment } from "../../api/types.ts";
import type { SnippetFacts } from "./snippets.ts";

/** A longer prompt would distract from the code. */
const LONGEST_PROMPT = 120;
const ANY_PROMPT = "Your current prompt.";
const ANY_OUTCOME = { name: "thumbs_up", hasValue: false };

/** Derives the facts of an experiment: control's prompt as the default, and its first business metric. */
export function snippetFacts(experiment: Experiment, key: string | null, baseUrl: string): SnippetFacts {
  const prompt = experiment.variants?.find((variant) => variant.key === experiment.control)?.prompt ?? "";
  return {
    baseUrl,
    key,
    experiment: experiment.name,
    defaultPrompt: prompt === "" || prompt.length > LONGEST_PROMPT ? ANY_PROMPT : prompt,
    outcome: outcomeOf(experiment) ?? ANY_OUTCOME,
  };
}

function outcomeOf({ metrics }: Experiment): SnippetFacts["outcome"] | null {
  const found = metrics.find(({ source, category }) =>
    source === undefined ? category === "business" : source.event === "business_event",
  );
  if (found === undefined) return null;
  const { source } = found;
  const name = source !== undefined && "business_metric" in source ? source.business_metric : found.name;
  return { name, hasValue: found.kind !== "binary" };
}

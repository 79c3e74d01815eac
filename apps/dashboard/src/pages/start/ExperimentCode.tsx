import type { Experiment } from "../../api/types.ts";
import { CodeTabs } from "./CodeTabs.tsx";
import { KeyChoice } from "./KeyChoice.tsx";
import { callSnippets, outcomeSnippets, snippetFacts } from "./snippets.ts";
import { usePublishableKey } from "./use-publishable-key.ts";

/** The code for an experiment in four languages, with the key filled in for those who may see it. */
export function ExperimentCode({ experiment }: { readonly experiment: Experiment }) {
  const key = usePublishableKey();
  const facts = snippetFacts(experiment, key.raw, location.origin);
  return (
    <>
      <KeyChoice source={key} />
      <CodeTabs label="Code for a model call" snippets={callSnippets} facts={facts} />
      <CodeTabs label="Code for an outcome" snippets={outcomeSnippets} facts={facts} />
    </>
  );
}

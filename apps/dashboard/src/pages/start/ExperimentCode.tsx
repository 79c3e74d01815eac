import type { Experiment } from "../../api/types.ts";
import { CodeBlock } from "../../ui/Copy.tsx";
import { CodeTabs } from "./CodeTabs.tsx";
import { InstrumentedHint } from "./InstrumentedHint.tsx";
import { KeyChoice } from "./KeyChoice.tsx";
import { callSnippets, flagSnippet, outcomeSnippets, snippetFacts } from "./snippets.ts";
import { useApiKey } from "./use-api-key.ts";

/** An experiment's code in four languages, with the key for people who may see it. For another system's flag, its events. */
export function ExperimentCode({ experiment }: { readonly experiment: Experiment }) {
  const key = useApiKey("publishable");
  const facts = snippetFacts(experiment, key.raw, location.origin);
  if (experiment.flag_key)
    return (
      <>
        <KeyChoice source={key} />
        <CodeBlock text={flagSnippet(facts, experiment.control ?? "control")} label="Events with curl" />
        <InstrumentedHint />
      </>
    );
  return (
    <>
      <KeyChoice source={key} />
      <CodeTabs label="Code for a model call" snippets={callSnippets} facts={facts} />
      <CodeTabs label="Code for an outcome" snippets={outcomeSnippets} facts={facts} />
      <InstrumentedHint />
    </>
  );
}

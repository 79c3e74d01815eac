import type { Experiment } from "../../api/types.ts";
import { LinkButton } from "../../ui/Button.tsx";
import { Facts } from "../../ui/Facts.tsx";
import { Panel } from "../../ui/Page.tsx";
import { Time } from "../../ui/Time.tsx";
import { outcomeWord } from "./outcomes.ts";

/** The recorded decision. */
export function StoppedPanel({ experiment }: { readonly experiment: Experiment }) {
  const { id, decision, updated_at } = experiment;
  return (
    <Panel
      title="This experiment is stopped"
      actions={
        <LinkButton to="/experiments/$id/report" params={{ id }}>
          Open the report
        </LinkButton>
      }
    >
      {decision ? (
        <Facts
          facts={[
            ["Outcome", outcomeWord(decision.outcome)],
            ["Variant to ship", decision.variant ?? "none"],
            ["Note", decision.note ?? "none"],
            ["Last changed", <Time key="at" at={updated_at} />],
          ]}
        />
      ) : (
        <p>It was stopped without a decision. Record one below.</p>
      )}
    </Panel>
  );
}

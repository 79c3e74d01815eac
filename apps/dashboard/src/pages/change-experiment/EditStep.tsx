import { useMemo, useState } from "react";
import { useController, useFormContext, useWatch } from "react-hook-form";
import type { Experiment } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { Checkbox } from "../../ui/Field.tsx";
import { Panel } from "../../ui/Page.tsx";
import { AudienceBlock } from "../experiment-form/AudienceBlock.tsx";
import type { ExperimentValues } from "../experiment-form/form-values.ts";
import { MetricsBlock } from "../experiment-form/MetricsBlock.tsx";
import { PlanBlock } from "../experiment-form/PlanBlock.tsx";
import { QuestionBlock } from "../experiment-form/QuestionBlock.tsx";
import { VariantsBlock } from "../experiment-form/VariantsBlock.tsx";
import type { Change } from "./change-of.ts";

const TOPICS = [
  { key: "texts", label: "Name and texts", fields: ["name", "hypothesis", "description"] },
  {
    key: "variants",
    label: "Variants: prompts, variables, QA users, who gets them, enabled or not",
    fields: ["variants", "qa_users", "visibility", "control"],
  },
  {
    key: "traffic",
    label: "Weights and share of traffic",
    fields: ["allocation", "coverage", "assignment", "flag_key"],
  },
  { key: "metrics", label: "Metrics", fields: ["metrics"] },
  { key: "plan", label: "Decision plan", fields: ["plan"] },
] as const;
type Topic = (typeof TOPICS)[number]["key"];

interface EditStepProps {
  readonly base: Experiment;
  readonly change: Change;
  /** Users are exposed. */
  readonly isExposed: boolean;
  readonly onNext: () => void;
  readonly onDrop: () => void;
}

/** The first step: edit. */
export function EditStep({ base, change, isExposed, onNext, onDrop }: EditStepProps) {
  const [chosen, choose] = useState<ReadonlySet<Topic>>(() => topicsOf(change));
  const storedIds = useStoredIds(base);
  const isNothing = Object.keys(change).length === 0;
  const toggle = (key: Topic, isOn: boolean) =>
    choose(new Set(isOn ? [...chosen, key] : [...chosen].filter((other) => other !== key)));
  return (
    <>
      <Panel title="What do you want to change?">
        <div className="change-topics">
          {TOPICS.map(({ key, label, fields }) => {
            const isChanged = fields.some((field) => field in change);
            return (
              <Checkbox
                key={key}
                isSelected={chosen.has(key) || isChanged}
                isDisabled={isChanged}
                onChange={(isOn) => toggle(key, isOn)}
              >
                {label}
              </Checkbox>
            );
          })}
          {base.status === "draft" || base.status === "stopped" ? <RunBox status={base.status} /> : null}
        </div>
      </Panel>
      {isOpen("texts", chosen, change) ? <QuestionBlock title="Name and texts" /> : null}
      {isOpen("variants", chosen, change) ? <VariantsBlock title="Variants" storedIds={storedIds} /> : null}
      {isOpen("traffic", chosen, change) ? (
        <AudienceBlock title="Traffic" isStored isStarted={base.status !== "draft"} />
      ) : null}
      {isOpen("metrics", chosen, change) ? <MetricsBlock title="Metrics" /> : null}
      {isOpen("plan", chosen, change) ? <PlanBlock title="Decision plan" isExposed={isExposed} /> : null}
      <div className="row">
        <Button look="primary" isDisabled={isNothing} onPress={onNext}>
          Review the change
        </Button>
        {isNothing ? (
          <span className="muted">No changes yet.</span>
        ) : (
          <Button look="quiet" onPress={onDrop}>
            Discard my changes
          </Button>
        )}
      </div>
    </>
  );
}

function topicsOf(change: Change): ReadonlySet<Topic> {
  return new Set(
    TOPICS.filter(({ fields }) => fields.some((field) => field in change)).map(({ key }) => key),
  );
}

/** A changed topic stays open. */
function isOpen(topic: Topic, chosen: ReadonlySet<Topic>, change: Change): boolean {
  return chosen.has(topic) || topicsOf(change).has(topic);
}

/** The variants that users may have; none for a draft. */
function useStoredIds({ status, variants }: Experiment): ReadonlySet<string> {
  const { control } = useFormContext<ExperimentValues>();
  const ids = useWatch({
    control,
    compute: (values) =>
      (variants ?? []).flatMap(({ key }) => values.variants.find((variant) => variant.key === key)?.id ?? []),
  });
  return useMemo(() => new Set(status === "draft" ? [] : ids), [status, ids]);
}

function RunBox({ status }: { readonly status: string }) {
  const { control } = useFormContext<ExperimentValues>();
  const { field } = useController({ control, name: "isToRun" });
  return (
    <Checkbox isSelected={field.value} onChange={field.onChange}>
      {status === "draft" ? "Start it" : "Resume it"}
    </Checkbox>
  );
}

import { useQuery } from "@tanstack/react-query";
import { Label, Radio, RadioGroup } from "react-aria-components";
import { useController, useFormContext, useWatch } from "react-hook-form";
import { LOOKS_WORDS } from "../../format/decision-words.ts";
import { Checkbox } from "../../ui/Field.tsx";
import { Panel } from "../../ui/Page.tsx";
import { BoundArea, BoundNumber, PERCENT } from "./BoundFields.tsx";
import type { ExperimentValues } from "./form-values.ts";
import { planBody } from "./plan-body.ts";
import type { Looks } from "./plan-values.ts";
import { horizonWords } from "./plan-words.ts";
import { formQueries } from "./queries.ts";
import { useSettledValues } from "./use-settled-values.ts";

const LOOKS = Object.keys(LOOKS_WORDS) as Looks[];

interface PlanBlockProps {
  readonly title: string;
  /** Users are exposed, so a change needs a reason, and the results show it. */
  readonly isExposed?: boolean;
}

/** The decision plan: how long it runs, what may decide and when, and with what certainty. */
export function PlanBlock({ title, isExposed = false }: PlanBlockProps) {
  return (
    <Panel title={title}>
      <div className="form">
        {isExposed ? (
          <>
            <p>
              Users are exposed, so looks at the results may have shaped this change. If you save it, the
              results will say that the plan was changed, and why.
            </p>
            <BoundArea
              name="plan.reason"
              label="Why are you changing the plan?"
              rows={2}
              hint="Required. The audit log keeps it, and the results show it."
            />
          </>
        ) : null}
        <div className="metric-fields">
          <BoundNumber
            name="plan.horizonWeeks"
            label="Horizon in weeks"
            hint="From the first exposure to the last look. Empty: planned at the start."
            minValue={1}
            maxValue={52}
            step={1}
          />
          <BoundNumber
            name="plan.minWeeks"
            label="Minimum run in weeks"
            hint="No look decides before."
            minValue={1}
            maxValue={52}
            step={1}
          />
          <BoundNumber
            name="plan.alpha"
            label="Alpha"
            hint="Two-sided level of the decision."
            minValue={0.001}
            maxValue={0.2}
            step={0.001}
            formatOptions={{ maximumFractionDigits: 3 }}
          />
          <BoundNumber
            name="plan.power"
            label="Power"
            hint="The chance of finding the target effects."
            minValue={0.5}
            maxValue={0.99}
            step={0.01}
            formatOptions={PERCENT}
          />
        </div>
        <PlannedHorizon />
        <LooksChoice />
        <Futility />
      </div>
    </Panel>
  );
}

/** What the service would plan for an empty horizon, and from which data. */
function PlannedHorizon() {
  const values = useSettledValues();
  const horizonWeeks = useWatch<ExperimentValues, "plan.horizonWeeks">({ name: "plan.horizonWeeks" });
  const plan = useQuery(formQueries.plan(planBody(values)));
  if (horizonWeeks !== null || plan.data === undefined || plan.error) return null;
  return (
    <div aria-live="polite">
      {horizonWords(plan.data.horizon).map((sentence) => (
        <p key={sentence} className="field-hint">
          {sentence}
        </p>
      ))}
    </div>
  );
}

function LooksChoice() {
  const { control } = useFormContext<ExperimentValues>();
  const { field } = useController({ control, name: "plan.looks" });
  return (
    <RadioGroup
      className="choices"
      value={field.value}
      onChange={(next) => {
        const chosen = LOOKS.find((looks) => looks === next);
        if (chosen) field.onChange(chosen);
      }}
    >
      <Label>Looks</Label>
      {LOOKS.map((looks) => (
        <Radio key={looks} value={looks} className="choice">
          <span className="choice-dot" aria-hidden="true" />
          <span>
            <strong>{LOOKS_WORDS[looks].word}</strong>{" "}
            <span className="muted">{LOOKS_WORDS[looks].meaning}</span>
          </span>
        </Radio>
      ))}
    </RadioGroup>
  );
}

function Futility() {
  const { control } = useFormContext<ExperimentValues>();
  const { field } = useController({ control, name: "plan.futility" });
  return (
    <Checkbox isSelected={field.value} onChange={field.onChange}>
      Report when the target has become unlikely (this never ends the experiment)
    </Checkbox>
  );
}

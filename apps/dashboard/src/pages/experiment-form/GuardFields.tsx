import { useController, useWatch } from "react-hook-form";
import { Checkbox } from "../../ui/Field.tsx";
import { BoundNumber, PERCENT } from "./BoundFields.tsx";
import type { ExperimentValues } from "./form-values.ts";
import { GUARD_FIELDS, isGuarded } from "./guard-values.ts";

/** Whether a guard watches between the nights, and how much harm is acceptable. */
export function GuardFields() {
  const { field } = useController<ExperimentValues, "guard.isOn">({ name: "guard.isOn" });
  const isOn = isGuarded(useWatch<ExperimentValues>() as ExperimentValues);
  return (
    <fieldset>
      <legend>Guard between the nights</legend>
      <Checkbox isSelected={isOn} onChange={field.onChange} onBlur={field.onBlur}>
        Check every half minute, and hold the experiment when a treatment does more harm than is acceptable
      </Checkbox>
      {isOn ? (
        <div className="form">
          <p className="muted">
            Acceptable harm for each signal. Leave a field empty to ignore its signal. The traffic split is
            always watched, and so are metrics with the role guardrail, except quantiles and metrics of judges
            and agents' runs.
          </p>
          {GUARD_FIELDS.map(({ signal, label, most }) => (
            <BoundNumber
              key={signal}
              name={`guard.harms.${signal}`}
              label={label}
              minValue={0}
              maxValue={most}
              step={0.001}
              formatOptions={PERCENT}
            />
          ))}
        </div>
      ) : null}
    </fieldset>
  );
}

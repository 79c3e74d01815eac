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
        Hold the experiment within a minute when a treatment does more harm than is acceptable
      </Checkbox>
      {isOn ? (
        <div className="form">
          <p className="muted">
            Acceptable harm of each signal. Leave a field empty to not watch it. The traffic split and metrics
            with the role guardrail are always watched.
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

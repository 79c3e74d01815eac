import { useController, useFormContext } from "react-hook-form";
import { Button } from "../../ui/Button.tsx";
import { Checkbox, SelectField } from "../../ui/Field.tsx";
import { BoundNumber, BoundText, PERCENT } from "./BoundFields.tsx";
import type { ExperimentValues } from "./form-values.ts";
import { JudgeFields } from "./JudgeFields.tsx";
import { MetricMeaning } from "./MetricMeaning.tsx";
import { DIRECTIONS, fieldUnit, marginHint, ROLES } from "./metric-options.ts";
import type { MetricRole, MetricValues } from "./metric-values.ts";

interface MetricCardProps {
  readonly index: number;
  readonly metric: MetricValues;
  readonly onRole: (role: MetricRole) => void;
  readonly onRemove: () => void;
}

/** One metric: its role, direction and margin. */
export function MetricCard({ index, metric, onRole, onRemove }: MetricCardProps) {
  const title = metric.name || `metric ${index + 1}`;
  return (
    <section className="metric-card" aria-label={`Metric ${index + 1}`}>
      <div className="metric-fields">
        <BoundText name={`metrics.${index}.name`} label="Metric" />
        <SelectField label="Role" options={ROLES} value={metric.role} onChange={onRole} />
        <Desired index={index} />
        <BoundNumber
          name={`metrics.${index}.margin`}
          label="Largest acceptable loss"
          hint={marginHint(metric)}
          minValue={0}
          formatOptions={fieldUnit(metric).formatOptions}
        />
        {metric.role === "guardrail" ? null : (
          <BoundNumber
            name={`metrics.${index}.targetEffect`}
            label="Smallest change worth finding"
            hint="Relative to control. The duration is planned for it."
            minValue={0}
            maxValue={10}
            step={0.01}
            formatOptions={PERCENT}
          />
        )}
      </div>
      {metric.source === "judge" ? <JudgeFields index={index} metric={metric} /> : null}
      <MetricMeaning index={index} metric={metric} />
      <div className="row">
        <Shared index={index} />
        <Button look="quiet" onPress={onRemove}>
          Remove {title}
        </Button>
      </div>
    </section>
  );
}

function Desired({ index }: { readonly index: number }) {
  const { control } = useFormContext<ExperimentValues>();
  const { field } = useController({ control, name: `metrics.${index}.desired` });
  return <SelectField label="Direction" options={DIRECTIONS} value={field.value} onChange={field.onChange} />;
}

function Shared({ index }: { readonly index: number }) {
  const { control } = useFormContext<ExperimentValues>();
  const { field } = useController({ control, name: `metrics.${index}.isShared` });
  return (
    <Checkbox isSelected={field.value} onChange={field.onChange}>
      Share this metric with other experiments
    </Checkbox>
  );
}

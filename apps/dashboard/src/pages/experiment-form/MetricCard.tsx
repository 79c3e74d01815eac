import { Link } from "@tanstack/react-router";
import { useController, useFormContext, useWatch } from "react-hook-form";
import { formulaInWords } from "../../format/metric-words.ts";
import { Button } from "../../ui/Button.tsx";
import { Checkbox, SelectField } from "../../ui/Field.tsx";
import { BoundNumber, BoundText, PERCENT } from "./BoundFields.tsx";
import type { ExperimentValues } from "./form-values.ts";
import { JudgeFields } from "./JudgeFields.tsx";
import { MetricMeaning } from "./MetricMeaning.tsx";
import { DIRECTIONS, fieldUnit, marginHint, ROLES } from "./metric-options.ts";
import { type MetricRole, type MetricValues, toMetric, withShared } from "./metric-values.ts";

interface MetricCardProps {
  readonly index: number;
  readonly metric: MetricValues;
  readonly onRole: (role: MetricRole) => void;
  readonly onRemove: () => void;
}

/** One metric: its role, direction and margin. Of a shared metric, only what the experiment itself decides can be edited. */
export function MetricCard({ index, metric, onRole, onRemove }: MetricCardProps) {
  const title = metric.name || `metric ${index + 1}`;
  const isCommon = metric.isShared && metric.isCommon;
  return (
    <section className="metric-card" aria-label={`Metric ${index + 1}`}>
      <div className="metric-fields">
        <BoundText name={`metrics.${index}.name`} label="Metric" isReadOnly={isCommon} />
        <SelectField label="Role" options={ROLES} value={metric.role} onChange={onRole} />
        {isCommon ? null : <Direction index={index} />}
        {isCommon ? null : <Margin index={index} metric={metric} />}
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
      {isCommon ? <CommonMeaning metric={metric} /> : <MetricDetails index={index} metric={metric} />}
      <div className="row">
        <Shared index={index} metric={metric} />
        <Button look="quiet" onPress={onRemove}>
          Remove {title}
        </Button>
      </div>
    </section>
  );
}

/** What a metric measures, and of a judged one the judge. */
export function MetricDetails({ index, metric }: Pick<MetricCardProps, "index" | "metric">) {
  return (
    <>
      {metric.source === "judge" ? <JudgeFields index={index} metric={metric} /> : null}
      <MetricMeaning index={index} metric={metric} />
    </>
  );
}

function CommonMeaning({ metric }: Pick<MetricCardProps, "metric">) {
  const unit = useWatch<ExperimentValues, "unit">({ name: "unit" });
  return (
    <>
      <p>{formulaInWords(toMetric(metric), unit)}</p>
      <p className="muted">
        All experiments that use this metric share its definition.{" "}
        <Link to="/catalogue/$name" params={{ name: metric.name }}>
          Change it on its own page
        </Link>
        , or stop sharing it to get a copy of this experiment's own.
      </p>
    </>
  );
}

/** Which direction of a metric is better. */
export function Direction({ index }: Pick<MetricCardProps, "index">) {
  const { control } = useFormContext<ExperimentValues>();
  const { field } = useController({ control, name: `metrics.${index}.desired` });
  return <SelectField label="Direction" options={DIRECTIONS} value={field.value} onChange={field.onChange} />;
}

/** How much worse a metric may get. */
export function Margin({ index, metric }: Pick<MetricCardProps, "index" | "metric">) {
  return (
    <BoundNumber
      name={`metrics.${index}.margin`}
      label="Largest acceptable loss"
      hint={marginHint(metric)}
      minValue={0}
      formatOptions={fieldUnit(metric).formatOptions}
    />
  );
}

function Shared({ index, metric }: Pick<MetricCardProps, "index" | "metric">) {
  const { setValue } = useFormContext<ExperimentValues>();
  return (
    <Checkbox
      isSelected={metric.isShared}
      onChange={(isShared) =>
        setValue(`metrics.${index}`, withShared(metric, isShared), { shouldDirty: true })
      }
    >
      Share this metric with other experiments
    </Checkbox>
  );
}

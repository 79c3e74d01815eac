import { useFormContext, useWatch } from "react-hook-form";
import { Disclosure } from "../../ui/Disclosure.tsx";
import { SelectField } from "../../ui/Field.tsx";
import { BoundArea, BoundNumber, BoundText, PERCENT } from "./BoundFields.tsx";
import type { ExperimentValues } from "./form-values.ts";
import {
  capOptionOf,
  capsOf,
  kindsOf,
  originOf,
  originsOf,
  SOURCES,
  withCapOption,
  withOrigin,
} from "./metric-options.ts";
import { hasOwnUnit, isOfRuns, type MetricValues, withKind, withSource } from "./metric-values.ts";

/** What a metric measures: the source of its values and how they are combined per unit. */
export function MetricMeaning({ index, metric }: { readonly index: number; readonly metric: MetricValues }) {
  const { setValue } = useFormContext<ExperimentValues>();
  const baseVersion = useWatch<ExperimentValues, "baseVersion">({ name: "baseVersion" });
  const unit = useWatch<ExperimentValues, "unit">({ name: "unit" }) ?? "user";
  const put = (next: MetricValues) => setValue(`metrics.${index}`, next, { shouldDirty: true });
  return (
    <>
      {metric.source === "business_event" ? (
        <div className="metric-fields">
          <BoundText
            name={`metrics.${index}.businessMetric`}
            label="Name of the event"
            hint="The business_metric that your application sends."
          />
          <SelectField
            label="Where the outcome comes from"
            options={originsOf(metric)}
            value={originOf(metric)}
            onChange={(origin) => put(withOrigin(metric, origin))}
            hint="Anyone can read a publishable key and send outcomes with it."
          />
        </div>
      ) : null}
      {isOfRuns(metric) ? <RunSenders metric={metric} /> : null}
      <Disclosure title="What it measures">
        <div className="metric-fields">
          <SelectField
            label="Source"
            options={SOURCES}
            value={metric.source}
            onChange={(source) => put(withSource(metric, source))}
          />
          <SelectField
            label="Computed as"
            options={kindsOf(metric, unit)}
            value={metric.kind}
            onChange={(kind) => put(withKind(metric, kind))}
          />
          {metric.kind === "quantile" ? (
            <BoundNumber name={`metrics.${index}.quantile`} label="Quantile" formatOptions={PERCENT} />
          ) : null}
          {metric.kind === "mean" && metric.source !== "judge" ? (
            <SelectField
              label={`Cap on a ${unit}'s total`}
              options={capsOf(metric, unit)}
              value={capOptionOf(metric)}
              onChange={(option) => put(withCapOption(metric, option))}
              hint="A larger total counts as the cap."
            />
          ) : null}
          <BoundText
            name={`metrics.${index}.displayName`}
            label="Name to show"
            hint="Pages show it instead of the name. Empty: the name."
          />
          {hasOwnUnit(metric) ? null : (
            <BoundText
              name={`metrics.${index}.unit`}
              label="Unit"
              hint="Such as orders or €. Shown next to the numbers."
            />
          )}
          <BoundNumber
            name={`metrics.${index}.windowDays`}
            label={`Window per ${unit}, in days`}
            hint="Counted from the first exposure. Empty: no limit."
            minValue={0}
          />
        </div>
        {baseVersion === null ? null : (
          <p className="field-hint">
            Another source, calculation, cap or window starts a new version of the metric and a new series of
            results. The form raises the version for you.
          </p>
        )}
        <BoundArea name={`metrics.${index}.description`} label="Description" rows={2} />
      </Disclosure>
    </>
  );
}

/** Whose events make up a run: the same for all metrics of runs. */
function RunSenders({ metric }: { readonly metric: MetricValues }) {
  const { setValue } = useFormContext<ExperimentValues>();
  const metrics = useWatch<ExperimentValues, "metrics">({ name: "metrics" });
  const putAll = (origin: ReturnType<typeof originOf>) => {
    const { acceptFrom } = withOrigin(metric, origin);
    for (const [index, other] of metrics.entries())
      if (isOfRuns(other)) setValue(`metrics.${index}.acceptFrom`, acceptFrom, { shouldDirty: true });
  };
  return (
    <SelectField
      label="Whose events make up a run"
      options={originsOf(metric)}
      value={originOf(metric)}
      onChange={putAll}
      hint="For all metrics of runs. Anyone can read a publishable key and report a run as completed with it."
    />
  );
}

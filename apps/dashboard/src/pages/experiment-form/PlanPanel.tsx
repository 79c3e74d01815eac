import { useQuery } from "@tanstack/react-query";
import { useWatch } from "react-hook-form";
import { manyOf, UNIT_TITLES, type Unit } from "../../format/unit-words.ts";
import { Disclosure } from "../../ui/Disclosure.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { Skeleton } from "../../ui/Page.tsx";
import { BoundNumber } from "./BoundFields.tsx";
import type { ExperimentValues } from "./form-values.ts";
import { fieldUnit } from "./metric-options.ts";
import type { MetricValues } from "./metric-values.ts";
import { planBody } from "./plan-body.ts";
import { baselineQuestion, type PlanWords, plannedMetric, planWords, spreadHint } from "./plan-words.ts";
import { formQueries } from "./queries.ts";

/** The planned duration. */
export function PlanPanel({ values }: { readonly values: ExperimentValues }) {
  const plan = useQuery(formQueries.plan(planBody(values)));
  const metric = plannedMetric(values.metrics);
  if (metric === null) return <p className="muted">Add a metric to see the duration.</p>;
  if (plan.error) return <ProblemNotice problem={plan.error} onRetry={() => plan.refetch()} />;
  if (plan.isLoading) return <Skeleton lines={2} />;
  if (plan.data === undefined) return <p className="muted">The duration appears once the setup is valid.</p>;
  const words = planWords(plan.data, metric.name.trim(), values.unit);
  return (
    <>
      <p aria-live="polite" className="plan-sentence">
        {words.sentence}
      </p>
      <p className="field-hint">Planned for {metric.name}.</p>
      {words.units.map((sentence) => (
        <p key={sentence} className="field-hint">
          {sentence}
        </p>
      ))}
      <Missing words={words} metric={metric} unit={values.unit ?? "user"} />
      {words.details.length === 0 ? null : (
        <Disclosure title="Assumptions">
          <ul className="plan-details">
            {words.details.map((detail) => (
              <li key={detail}>{detail}</li>
            ))}
          </ul>
        </Disclosure>
      )}
    </>
  );
}

/** Requests what history does not provide. */
function Missing({
  words,
  metric,
  unit,
}: {
  readonly words: PlanWords;
  readonly metric: MetricValues;
  readonly unit: Unit;
}) {
  const units = manyOf(unit);
  const metrics = useWatch<ExperimentValues, "metrics">({ name: "metrics" });
  const index = metrics.findIndex(({ id }) => id === metric.id);
  const { formatOptions, words: measured } = fieldUnit(metric);
  return (
    <div className="form">
      {words.asksUsers ? (
        <BoundNumber
          name="usersPerDay"
          label={`New ${units} per day`}
          hint={
            unit === "user"
              ? "Users who would enter the experiment."
              : `${UNIT_TITLES[unit]} that would enter the experiment.`
          }
          minValue={0}
        />
      ) : null}
      {words.asksBaseline && index >= 0 ? (
        <>
          <BoundNumber
            name={`metrics.${index}.baseline`}
            label={baselineQuestion(metric, unit)}
            hint={`The current value of ${metric.name}${measured?.includes("milli") ? ", in milliseconds" : ""}.`}
            formatOptions={formatOptions}
          />
          {metric.kind === "binary" ? null : (
            <BoundNumber
              name={`metrics.${index}.baselineSd`}
              label={`Standard deviation across ${units}`}
              hint={spreadHint(metric, unit)}
              minValue={0}
              formatOptions={formatOptions}
            />
          )}
        </>
      ) : null}
    </div>
  );
}

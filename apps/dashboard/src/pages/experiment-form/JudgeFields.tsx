import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useFormContext, useWatch } from "react-hook-form";
import { queries } from "../../api/queries.ts";
import { Button } from "../../ui/Button.tsx";
import { SelectField } from "../../ui/Field.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { BoundArea, BoundNumber, PERCENT } from "./BoundFields.tsx";
import type { ExperimentValues } from "./form-values.ts";
import { sampleWords } from "./judge-sample.ts";
import { SCALES } from "./metric-options.ts";
import { STARTER_RUBRICS } from "./metric-templates.ts";
import { type MetricValues, withScale } from "./metric-values.ts";
import { TryRubric } from "./TryRubric.tsx";

interface JudgeFieldsProps {
  readonly index: number;
  readonly metric: MetricValues;
}

/** A judge's rubric, scale and sample. */
export function JudgeFields({ index, metric }: JudgeFieldsProps) {
  const { setValue } = useFormContext<ExperimentValues>();
  const put = (next: MetricValues) =>
    setValue(`metrics.${index}`, next, { shouldDirty: true, shouldValidate: true });
  return (
    <>
      <JudgeNotice />
      <BoundArea
        name={`metrics.${index}.rubric`}
        label="Rubric: what makes an answer good"
        hint="The judge sees the rubric, the user's input and the answer, but not the variant, model or prompt. Changing the rubric or the scale starts a new version of the metric."
        rows={5}
      />
      {metric.rubric.trim() === "" ? (
        <Button onPress={() => put({ ...metric, rubric: STARTER_RUBRICS[metric.scale] })}>
          Start from an example
        </Button>
      ) : null}
      <div className="metric-fields">
        <SelectField
          label="Scale"
          options={SCALES}
          value={metric.scale}
          onChange={(scale) => put(rescaled(metric, scale))}
        />
        <BoundNumber
          name={`metrics.${index}.sampleRate`}
          label="Share of calls to judge"
          minValue={0}
          maxValue={1}
          step={0.01}
          formatOptions={PERCENT}
        />
      </div>
      <Sample sampleRate={metric.sampleRate} />
      <TryRubric metric={metric} />
    </>
  );
}

/** An unedited example follows the scale. */
function rescaled(metric: MetricValues, scale: MetricValues["scale"]): MetricValues {
  const isExample = metric.rubric === STARTER_RUBRICS[metric.scale];
  return withScale(isExample ? { ...metric, rubric: STARTER_RUBRICS[scale] } : metric, scale);
}

function Sample({ sampleRate }: Pick<MetricValues, "sampleRate">) {
  const [usersPerDay, variants] = useWatch<ExperimentValues, ["usersPerDay", "variants"]>({
    name: ["usersPerDay", "variants"],
  });
  const judges = useQuery(queries.judges());
  if (sampleRate === null || !(sampleRate > 0)) return null;
  const evaluations = judges.data?.evaluations;
  return (
    <p className="field-hint">
      {sampleWords({
        sampleRate,
        usersPerDay,
        arms: Math.max(1, variants.length),
        evaluations,
        now: Date.now(),
      })}
    </p>
  );
}

/** Why nothing is judged, and what to do about it. */
function JudgeNotice() {
  const { data: judges } = useQuery(queries.judges());
  if (judges === undefined) return null;
  if (judges.lock !== null) {
    return (
      <Notice tone="warn" title="Judge evaluations are locked">
        <p>
          {judges.lock} <Link to="/usage">Usage & plan</Link>
        </p>
      </Notice>
    );
  }
  if (judges.is_configured) return null;
  return (
    <Notice tone="info" title="No judge is configured yet">
      <p>
        The metric is saved, but collects no scores until the operator of this installation configures a
        judge. <Link to="/judges">How to set it up</Link>
      </p>
    </Notice>
  );
}

import { useQuery } from "@tanstack/react-query";
import { useFormContext, useFormState, useWatch } from "react-hook-form";
import { queries } from "../../api/queries.ts";
import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { Panel } from "../../ui/Page.tsx";
import { FormFault } from "./BoundFields.tsx";
import { CatalogueMenu } from "./CatalogueMenu.tsx";
import type { ExperimentValues } from "./form-values.ts";
import { MetricCard } from "./MetricCard.tsx";
import { fromTemplate, METRIC_TEMPLATES, type MetricTemplate } from "./metric-templates.ts";
import type { MetricRole, MetricValues } from "./metric-values.ts";

/** The metrics: one primary metric, guardrails, and others. */
export function MetricsBlock({ title }: { readonly title: string }) {
  const { setValue, clearErrors } = useFormContext<ExperimentValues>();
  const metrics = useWatch<ExperimentValues, "metrics">({ name: "metrics" });
  const { errors } = useFormState<ExperimentValues>();
  const change = (next: MetricValues[]) => {
    clearErrors("metrics");
    setValue("metrics", next, { shouldDirty: true });
  };
  const add = (metric: MetricValues) => {
    change([...metrics, metric]);
    announce(`Added ${metric.name}.`);
  };
  return (
    <Panel title={title}>
      <p className="muted">One primary metric decides. Guardrails must not get worse.</p>
      <FormFault message={errors.metrics?.message} />
      {metrics.map((metric, index) => (
        <MetricCard
          key={metric.id}
          index={index}
          metric={metric}
          onRole={(role) => change(withRole(metrics, metric.id, role))}
          onRemove={() => change(metrics.filter(({ id }) => id !== metric.id))}
        />
      ))}
      <h3>Add a metric</h3>
      <div className="metric-templates">
        {METRIC_TEMPLATES.map((template) => (
          <TemplateButton
            key={template.key}
            template={template}
            onAdd={() => add(fromTemplate(template, metrics))}
          />
        ))}
      </div>
      <CatalogueMenu present={metrics} onAdd={add} />
    </Panel>
  );
}

const NOT_CONFIGURED = "It needs a configured judge.";

/** There is only one primary metric: the previous one becomes secondary. */
function withRole(metrics: readonly MetricValues[], id: string, role: MetricRole): MetricValues[] {
  return metrics.map((metric) => {
    if (metric.id === id) return { ...metric, role };
    return role === "primary" && metric.role === "primary" ? { ...metric, role: "secondary" } : metric;
  });
}

function TemplateButton({
  template: { title, detail, needsJudge },
  onAdd,
}: {
  readonly template: MetricTemplate;
  readonly onAdd: () => void;
}) {
  const judges = useQuery({ ...queries.judges(), enabled: needsJudge });
  // The data may be cached by another template; it is irrelevant without a judge.
  const state = needsJudge ? judges.data : undefined;
  const lock = state?.lock ?? null;
  return (
    <div className="metric-template">
      <Button onPress={onAdd} isDisabled={lock !== null}>
        {lock === null ? null : <span aria-hidden="true">🔒︎</span>}
        {title}
      </Button>
      <p className="field-hint">
        {detail} {lock ?? (state?.is_configured === false ? NOT_CONFIGURED : null)}
      </p>
    </div>
  );
}

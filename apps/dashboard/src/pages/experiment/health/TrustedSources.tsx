import { useQuery, useQueryClient } from "@tanstack/react-query";
import { putExperiment, queries, refreshExperiment } from "../../../api/queries.ts";
import type { Experiment } from "../../../api/types.ts";
import { announce } from "../../../ui/announce.ts";
import { LinkButton } from "../../../ui/Button.tsx";
import { ConfirmButton } from "../../../ui/ConfirmButton.tsx";
import { withTrustedSources } from "./trusted-metrics.ts";

interface TrustedSourcesProps {
  readonly experimentId: string;
  /** Names of the metrics that the publishable key and trusted senders report. */
  readonly metrics: readonly string[];
}

/** Closes metrics to the publishable key: the experiment's own metrics at once, a shared metric on its own page. */
export function TrustedSources({ experimentId, metrics: names }: TrustedSourcesProps) {
  const experiment = useQuery(queries.experiment(experimentId)).data;
  if (experiment?.status !== "draft" && experiment?.status !== "running") return null;
  const found = experiment.metrics.filter(({ name }) => names.includes(name));
  const own = found.filter(({ shared_org_wide: isShared }) => !isShared).map(({ name }) => name);
  return (
    <div className="row">
      {own.length === 0 ? null : <TrustButton experiment={experiment} names={own} />}
      {found
        .filter(({ name }) => !own.includes(name))
        .map(({ name }) => (
          <LinkButton key={name} to="/catalogue/$name" params={{ name }}>
            Change {name} for all experiments
          </LinkButton>
        ))}
    </div>
  );
}

interface TrustButtonProps {
  readonly experiment: Experiment;
  readonly names: readonly string[];
}

function TrustButton({ experiment, names }: TrustButtonProps) {
  const cache = useQueryClient();
  return (
    <ConfirmButton
      label="Accept trusted sources only…"
      title="Accept trusted sources only?"
      verb="Accept trusted sources only"
      run={() => putExperiment(experiment, { metrics: withTrustedSources(experiment.metrics, names) })}
      onDone={async () => {
        announce("The metrics accept trusted sources only.");
        await refreshExperiment(cache, experiment.id);
      }}
    >
      <p>
        {names.join(", ")} will count only events sent with the secret key, in signed webhooks or in imports.
        Events sent with the publishable key stay stored but are no longer counted, including those already
        received.
      </p>
      <p>The experiment gets a new version, and each of these metrics starts a new series of results.</p>
    </ConfirmButton>
  );
}

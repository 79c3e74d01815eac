import { useQuery } from "@tanstack/react-query";
import { queries } from "../../../api/queries.ts";
import { armColumn } from "../../../charts/ArmLabel.tsx";
import { isJudged } from "../../../format/metric-words.ts";
import { count, percent } from "../../../format/numbers.ts";
import { Badge } from "../../../ui/Badge.tsx";
import { LinkButton } from "../../../ui/Button.tsx";
import { Disclosure } from "../../../ui/Disclosure.tsx";
import { Exact } from "../../../ui/Exact.tsx";
import { Table } from "../../../ui/Table.tsx";
import { Time } from "../../../ui/Time.tsx";
import { CHECK_TITLES, type HealthCheck, isFound, numberInWords, SEVERITIES } from "./health-words.ts";
import { TrustedSources } from "./TrustedSources.tsx";

interface HealthCheckCardProps {
  readonly check: HealthCheck;
  readonly experimentId: string;
  readonly colors: ReadonlyMap<string, string>;
}

/** One check: its state, a sentence, the number, since when, and what to do. */
export function HealthCheckCard({ check, experimentId, colors }: HealthCheckCardProps) {
  const { word, tone, icon } = SEVERITIES[check.severity];
  const judged = numberInWords(check);
  return (
    <article className={`health-check health-${tone}`}>
      <header className="row">
        <h3>{CHECK_TITLES[check.code]}</h3>
        <Badge tone={tone}>
          <span aria-hidden="true">{icon}</span> {word}
        </Badge>
        {judged === null ? null : (
          <span className="muted" title={String(check.value)}>
            {judged}
          </span>
        )}
      </header>
      <p>{check.detail}</p>
      {check.since === null ? null : (
        <p className="muted">
          Since <Time at={check.since} />.
        </p>
      )}
      {check.action === null ? null : (
        <p>
          <strong>{check.severity === "info" ? "What to do:" : "Fix:"}</strong> {check.action}
        </p>
      )}
      {isFound(check) ? <NextStep check={check} experimentId={experimentId} /> : null}
      <PerArm check={check} colors={colors} />
    </article>
  );
}

/** A link to where the cause can be found, or a button that fixes it. */
function NextStep({ check, experimentId }: Omit<HealthCheckCardProps, "colors">) {
  const params = { id: experimentId };
  switch (check.code) {
    case "error-rate":
      return (
        <LinkButton to="/experiments/$id/calls" params={params} search={{ errors: "only" }}>
          View failed calls
        </LinkButton>
      );
    case "truncated-answers":
      return (
        <LinkButton
          to="/experiments/$id/calls"
          params={params}
          search={{ sort: "output_tokens", direction: "desc" }}
        >
          View the longest answers
        </LinkButton>
      );
    case "missing-usage":
    case "cut-streams":
    case "other-model":
    case "cache-hit-gap":
      return (
        <LinkButton to="/experiments/$id/calls" params={params}>
          View the calls
        </LinkButton>
      );
    case "unpriced-calls":
      return <LinkButton to="/settings">Set the price</LinkButton>;
    case "srm":
    case "srm-without-test-events":
      return (
        <LinkButton to="/experiments/$id/live" params={params}>
          View the split by day
        </LinkButton>
      );
    case "mixed-sources":
      return <TrustedSources experimentId={experimentId} metrics={check.metrics ?? []} />;
    case "judge-backlog":
    case "judge-failures":
    case "judge-agreement":
    case "judge-bias":
    case "judge-length":
    case "judge-cut":
      return <ToJudges experimentId={experimentId} />;
    default:
      return null;
  }
}

/** Links to the judges of the experiment's metrics; the check's text names the one concerned. */
function ToJudges({ experimentId }: { readonly experimentId: string }) {
  const experiment = useQuery(queries.experiment(experimentId));
  return (
    <p className="row">
      {experiment.data?.metrics.filter(isJudged).map(({ name }) => (
        <LinkButton key={name} to="/judges/$experimentId/$metric" params={{ experimentId, metric: name }}>
          Check the judge of {name}
        </LinkButton>
      ))}
    </p>
  );
}

function PerArm({ check, colors }: Omit<HealthCheckCardProps, "experimentId">) {
  const rows = Object.entries(check.arms).map(([arm, counts]) => ({ arm, ...counts }));
  if (rows.length === 0) return null;
  return (
    <Disclosure title="By variant">
      <Table
        caption={`${CHECK_TITLES[check.code]} by variant`}
        isCaptionHidden
        rows={rows}
        rowKey={({ arm }) => arm}
        columns={[
          armColumn(({ arm }: { readonly arm: string }) => arm, colors),
          { key: "count", title: "Count", isNumeric: true, cell: (row) => count(row.count) },
          { key: "of", title: "Of", isNumeric: true, cell: (row) => count(row.of) },
          {
            key: "share",
            title: "Share",
            isNumeric: true,
            cell: ({ share }) => <Exact value={share} write={percent} />,
          },
        ]}
      />
    </Disclosure>
  );
}

import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { queries } from "../../../api/queries.ts";
import type { Wire } from "../../../api/types.ts";
import { useArmColors } from "../../../charts/arms.ts";
import { runName } from "../../../format/times.ts";
import { Badge } from "../../../ui/Badge.tsx";
import { Button } from "../../../ui/Button.tsx";
import { Disclosure } from "../../../ui/Disclosure.tsx";
import { Loaded } from "../../../ui/Loaded.tsx";
import { Panel } from "../../../ui/Page.tsx";
import { Time } from "../../../ui/Time.tsx";
import { HealthCheckCard } from "./HealthCheckCard.tsx";
import { isFound, SEVERITIES, summaryOf, worstFirst } from "./health-words.ts";
import { ReplayPanel } from "./replay/ReplayPanel.tsx";
import { SplitOverTime } from "./SplitOverTime.tsx";
import { SetAsidePanel } from "./set-aside/SetAsidePanel.tsx";
import "./health.css";

type Health = Wire<"ExperimentHealth">;

/** The health of the experiment's data: all checks, worst first. */
export default function HealthTab() {
  const { id } = useParams({ from: "/shell/experiments/$id/health" });
  const health = useQuery(queries.health(id));
  return (
    <>
      <Loaded query={health} lines={8}>
        {(data) => (
          <>
            <Checks health={data} isPending={health.isFetching} onRefresh={() => health.refetch()} />
            <Remarks health={data} />
          </>
        )}
      </Loaded>
      <SetAsidePanel experimentId={id} />
      <ReplayPanel experimentId={id} />
      <SplitOverTime experimentId={id} />
    </>
  );
}

interface ChecksProps {
  readonly health: Health;
  readonly isPending: boolean;
  readonly onRefresh: () => void;
}

function Checks({ health: { experiment_id, as_of, checks }, isPending, onRefresh }: ChecksProps) {
  const experiment = useQuery(queries.experiment(experiment_id)).data;
  const colors = useArmColors(experiment);
  const sorted = worstFirst(checks);
  const found = sorted.filter(isFound);
  const fine = sorted.filter((check) => !isFound(check));
  const card = (check: (typeof checks)[number]) => (
    <HealthCheckCard key={check.code} check={check} experimentId={experiment_id} colors={colors} />
  );
  return (
    <Panel
      title="Data health"
      actions={
        <Button onPress={onRefresh} isPending={isPending}>
          Check again
        </Button>
      }
    >
      <p>
        <strong>{summaryOf(checks)}</strong>{" "}
        <span className="muted">
          Checked on all data received until <Time at={as_of} />.
        </span>
      </p>
      <div className="health-checks">{found.map(card)}</div>
      {fine.length === 0 ? null : (
        <Disclosure title={fineInWords(fine)} isOpen={found.length === 0}>
          <div className="health-checks">{fine.map(card)}</div>
        </Disclosure>
      )}
    </Panel>
  );
}

function fineInWords(checks: Health["checks"]): string {
  const fine = checks.filter(({ severity }) => severity === "ok").length;
  const empty = checks.length - fine;
  return [fine > 0 ? `${fine} passed` : null, empty > 0 ? `${empty} without data yet` : null]
    .filter((part) => part !== null)
    .join(", ");
}

/** The remarks of the latest run; unlike the checks above, they change only with the next run. */
function Remarks({ health: { computed_for, remarks } }: { readonly health: Health }) {
  return (
    <Panel title="Remarks of the latest run">
      {computed_for === null ? (
        <p className="muted">No run has been computed yet. Remarks appear here with the first results.</p>
      ) : (
        <>
          <p className="muted">{runName(computed_for)}. These remarks change only with the next run.</p>
          {remarks.length === 0 ? <p>No remarks.</p> : null}
          <ul className="health-remarks">
            {remarks.map(({ code, severity, detail }) => (
              <li key={`${code} ${detail}`}>
                <Badge tone={SEVERITIES[severity].tone}>
                  <span aria-hidden="true">{SEVERITIES[severity].icon}</span> {SEVERITIES[severity].word}
                </Badge>{" "}
                {detail}
              </li>
            ))}
          </ul>
        </>
      )}
    </Panel>
  );
}

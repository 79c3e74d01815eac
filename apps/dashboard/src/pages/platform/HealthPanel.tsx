import { useQuery } from "@tanstack/react-query";
import type { Wire } from "../../api/types.ts";
import { count, counted, milliseconds } from "../../format/numbers.ts";
import { day } from "../../format/times.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Facts } from "../../ui/Facts.tsx";
import { Loaded } from "../../ui/Loaded.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { Panel } from "../../ui/Page.tsx";
import { Table } from "../../ui/Table.tsx";
import { Time } from "../../ui/Time.tsx";
import { DEPENDENCIES, HEALTH_STATES, healthInWords, secondsInWords } from "./health-words.ts";
import { platformQueries } from "./queries.ts";

type Health = Wire<"AdminHealth">;

/** The health of the service's parts, refreshed every 15 seconds. */
export function HealthPanel() {
  const health = useQuery(platformQueries.health());
  return (
    <Panel title="Health">
      <Loaded query={health}>
        {(data) => (
          <div className="form">
            <Notice tone={HEALTH_STATES[data.status].tone} title={HEALTH_STATES[data.status].word}>
              <p>{healthInWords(data)}</p>
            </Notice>
            <Dependencies health={data} />
            <Facts facts={factsOf(data)} />
            <Failures failures={data.pipeline.failures} />
          </div>
        )}
      </Loaded>
    </Panel>
  );
}

function Dependencies({ health }: { readonly health: Health }) {
  return (
    <Table
      caption="Dependencies"
      narrow="stacks"
      rows={health.dependencies}
      rowKey={({ name }) => name}
      columns={[
        { key: "name", title: "Part", cell: ({ name }) => DEPENDENCIES[name].title },
        {
          key: "state",
          title: "State",
          cell: ({ status }) => <Badge tone={HEALTH_STATES[status].tone}>{HEALTH_STATES[status].word}</Badge>,
        },
        {
          key: "latency",
          title: "Latency",
          isNumeric: true,
          cell: ({ latency_ms: latency }) => (latency === null ? "–" : milliseconds(latency)),
        },
        {
          key: "detail",
          title: "Details",
          cell: ({ name, status, detail }) =>
            status === "down" ? `${detail ?? ""} ${DEPENDENCIES[name].without}`.trim() : (detail ?? "–"),
        },
      ]}
    />
  );
}

function factsOf({ queue, pipeline, version, started_at: startedAt }: Health) {
  const last = pipeline.last_run;
  return [
    ["Queue", queueInWords(queue)],
    ["Last night", last === null ? "none yet" : nightInWords(last)],
    ["Next night", <Time key="next" at={pipeline.next_run_at} />],
    ["Version", version],
    ["Running since", <Time key="since" at={startedAt} />],
  ] as const;
}

function queueInWords(queue: Health["queue"]): string {
  if (queue === null) return "not responding";
  const { batches, bytes, oldest_age_seconds: age } = queue;
  if (age === null) return "empty";
  return `${counted(batches, "batch", "batches")}, ${count(bytes)} bytes, the oldest ${secondsInWords(age)} old`;
}

function nightInWords({ day: of, outcomes }: NonNullable<Health["pipeline"]["last_run"]>): string {
  const parts = Object.entries(outcomes).flatMap(([outcome, runs]) =>
    runs > 0 ? [`${count(runs)} ${outcome}`] : [],
  );
  return `${day(of)}: ${parts.join(", ") || "nothing to do"}`;
}

function Failures({ failures }: { readonly failures: Health["pipeline"]["failures"] }) {
  if (failures.length === 0) return null;
  return (
    <div>
      <p>Failed analyses are retried every five minutes for seven days. To retry now, run the night below.</p>
      <Table
        caption="Failed analyses of the last 7 days"
        narrow="stacks"
        rows={failures}
        rowKey={({ experiment_id: id, day: of }) => `${id} ${of}`}
        columns={[
          { key: "name", title: "Experiment", cell: ({ name }) => name },
          { key: "day", title: "Night of", cell: ({ day: of }) => day(of) },
          { key: "org", title: "Organization", cell: ({ org_id: org }) => <code>{org}</code> },
          { key: "why", title: "Why", cell: ({ detail }) => detail ?? "see the service's log" },
        ]}
      />
    </div>
  );
}

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "../../../api/client.ts";
import { queries, refreshExperiment } from "../../../api/queries.ts";
import type { Experiment, Wire } from "../../../api/types.ts";
import { metricTitle } from "../../../format/effect.ts";
import { changeInWords, textChangeInWords, weekRows } from "../../../format/holdback-words.ts";
import { manyOf, UNIT_TITLES } from "../../../format/unit-words.ts";
import { announce } from "../../../ui/announce.ts";
import { ConfirmButton } from "../../../ui/ConfirmButton.tsx";
import { Loaded } from "../../../ui/Loaded.tsx";
import { Panel } from "../../../ui/Page.tsx";
import { Table } from "../../../ui/Table.tsx";
import { Time } from "../../../ui/Time.tsx";

/** Shows whether the lift lasted: the weeks since the shipping, and the change of the lift over all of them. */
export function HoldbackPanel({ experiment }: { readonly experiment: Experiment }) {
  const view = useQuery(queries.holdback(experiment.id));
  const { holdback, control = "control", unit = "user" } = experiment;
  const many = manyOf(unit);
  if (!holdback) return null;
  const isOpen = holdback.to === null;
  return (
    <Panel title="Did the lift last?" actions={isOpen ? <EndHoldback experiment={experiment} /> : undefined}>
      <Loaded query={view}>
        {(found) => (
          <>
            <p>
              {isOpen
                ? `${holdback.percent}% of all ${many} keep ${control} until `
                : `${holdback.percent}% of all ${many} kept ${control} until `}
              {found.ends_at === null ? null : <Time at={found.ends_at} />}. They are compared with the {many}{" "}
              whose variant was shipped.
            </p>
            {found.text_changes.map((change) => (
              <p key={change.at}>{textChangeInWords(change)}</p>
            ))}
            <Findings experiment={experiment} view={found} />
          </>
        )}
      </Loaded>
    </Panel>
  );
}

interface FindingsProps {
  readonly experiment: Experiment;
  readonly view: Wire<"HoldbackView">;
}

function Findings({ experiment, view }: FindingsProps) {
  const { metrics, control = "control", unit = "user" } = experiment;
  const { weeks, overall, changes } = view;
  if (overall === null)
    return <p className="muted">Each week is analyzed a day after it ends. None has been analyzed yet.</p>;
  const arms = [...Object.keys(overall.users).filter((arm) => arm !== control), control];
  const names = [...new Set(weeks.flatMap(({ rows }) => rows.map(({ metric }) => metric)))];
  return (
    <>
      {changes.length === 0 ? (
        <p>The experiment found no lift to compare with, or there is too little data yet.</p>
      ) : (
        <ul>
          {changes.map((change) => (
            <li key={change.metric}>{changeInWords(change, metrics)}</li>
          ))}
        </ul>
      )}
      {names.map((name) => (
        <Table
          key={name}
          caption={metricTitle(metrics, name)}
          narrow="stacks"
          rows={weekRows(weeks, name, { metrics, arms })}
          rowKey={({ key }) => key}
          columns={[
            { key: "week", title: "Week", cell: (row) => row.week },
            {
              key: "users",
              title: `${UNIT_TITLES[unit]} of ${arms.join(" and ")}`,
              isNumeric: true,
              cell: (row) => row.users,
            },
            { key: "lift", title: "Difference", isNumeric: true, cell: (row) => row.lift },
          ]}
        />
      ))}
    </>
  );
}

function EndHoldback({
  experiment: { id, name, control, shipped_variant, unit },
}: {
  readonly experiment: Experiment;
}) {
  const cache = useQueryClient();
  return (
    <ConfirmButton
      label="End the holdback…"
      title="End the holdback?"
      verb="End it now"
      run={() => unwrap(api.POST("/v1/experiments/{id}/holdback/end", { params: { path: { id } } }))}
      onDone={async () => {
        await refreshExperiment(cache, id);
        announce(`Everybody gets ${shipped_variant} of ${name}.`);
      }}
    >
      <p>
        From the next config poll on, the {manyOf(unit ?? "user")} that kept {control} get {shipped_variant},
        too. They cannot be held back again. The weekly results are kept.
      </p>
    </ConfirmButton>
  );
}

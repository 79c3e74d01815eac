import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { putExperiment, queries, refreshExperiment } from "../../../api/queries.ts";
import type { Experiment, Wire } from "../../../api/types.ts";
import { guardRows, noticeableInWords, rolloutInWords } from "../../../format/guard-words.ts";
import { announce } from "../../../ui/announce.ts";
import { Button } from "../../../ui/Button.tsx";
import { ProblemNotice } from "../../../ui/Notice.tsx";
import { Panel } from "../../../ui/Page.tsx";
import { Table } from "../../../ui/Table.tsx";
import { Time } from "../../../ui/Time.tsx";

/** The guard: what is watched between the nights, how close it is to a hold, and when the next stage begins. */
export function GuardPanel({
  experiment,
  poll,
}: {
  readonly experiment: Experiment;
  readonly poll: number | false;
}) {
  const { guard, rollout, flag_key, status, is_demo } = experiment;
  // What is known of a draft comes from two weeks of history.
  const refetchInterval = status === "draft" ? false : poll;
  const { data: view } = useQuery({ ...queries.guard(experiment.id), refetchInterval });
  if (is_demo || (flag_key && status !== "running")) return null;
  if (flag_key)
    return (
      <Panel title="Guard: the brake between the nights">
        <p className="muted">
          This experiment has no guard. The flag <code>{flag_key}</code> gives users their variants, so a hold
          here would change nothing: guard the flag in its own system. Nightly runs still analyze your
          metrics.
        </p>
      </Panel>
    );
  if (status === "draft" && guard && view) return <Foresight view={view} />;
  if (status !== "running") return null;
  return (
    <Panel title="Guard: the brake between the nights" actions={<GuardSwitch experiment={experiment} />}>
      {rollout && view ? <p>{rolloutInWords(rollout, view.next_stage_at)}</p> : null}
      {guard ? (
        <>
          <p>
            Holds the experiment when a treatment is worse by more than is acceptable. Its evidence is valid
            at any look. Only nightly runs decide the experiment.{" "}
            {view?.looked_at ? (
              <>
                Last look: <Time at={view.looked_at} />.
              </>
            ) : (
              "It looks every half minute, but has not looked yet."
            )}
          </p>
          {view?.looked_at ? <Signals view={view} control={experiment.control ?? "control"} /> : null}
        </>
      ) : (
        <p className="muted">
          Nothing is watched between the nights. A guard checks errors, latency, cost and the traffic split
          every half minute, and holds the experiment when one goes wrong.
        </p>
      )}
    </Panel>
  );
}

function Foresight({ view }: { readonly view: Wire<"GuardView"> }) {
  const words = noticeableInWords(view.noticeable);
  return (
    <Panel title="Guard: the brake between the nights">
      <p>{words || "There is no traffic yet to estimate what harm the guard would notice within an hour."}</p>
    </Panel>
  );
}

function Signals({ view, control }: { readonly view: Wire<"GuardView">; readonly control: string }) {
  return (
    <Table
      caption="What the guard watches"
      isCaptionHidden
      narrow="stacks"
      rows={guardRows(view.signals)}
      rowKey={({ key }) => key}
      columns={[
        { key: "signal", title: "Signal", cell: (row) => row.signal },
        { key: "treatment", title: "Treatment", cell: (row) => row.treatment },
        { key: "values", title: `Treatment, ${control}`, isNumeric: true, cell: (row) => row.values },
        { key: "acceptable", title: "Acceptable", isNumeric: true, cell: (row) => row.acceptable },
        { key: "evidence", title: "Evidence of more harm", isNumeric: true, cell: (row) => row.evidence },
      ]}
    />
  );
}

function GuardSwitch({ experiment }: { readonly experiment: Experiment }) {
  const cache = useQueryClient();
  const { id, name, guard } = experiment;
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => putExperiment(experiment, { guard: guard ? null : {} }),
    onSuccess: async () => {
      await refreshExperiment(cache, id);
      announce(guard ? `The guard of ${name} is off.` : `The guard of ${name} is on.`);
    },
  });
  return (
    <>
      <Button onPress={() => mutate()} isPending={isPending}>
        {guard ? "Switch the guard off" : "Switch the guard on"}
      </Button>
      {error ? <ProblemNotice problem={error} /> : null}
    </>
  );
}

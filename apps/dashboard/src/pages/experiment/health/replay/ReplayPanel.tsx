import { useIsMutating, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "../../../../api/client.ts";
import { queries } from "../../../../api/queries.ts";
import type { Wire } from "../../../../api/types.ts";
import { counted } from "../../../../format/numbers.ts";
import { manyOf } from "../../../../format/unit-words.ts";
import { announce } from "../../../../ui/announce.ts";
import { Button } from "../../../../ui/Button.tsx";
import { Loaded } from "../../../../ui/Loaded.tsx";
import { ProblemNotice } from "../../../../ui/Notice.tsx";
import { Panel } from "../../../../ui/Page.tsx";
import { Time } from "../../../../ui/Time.tsx";
import { ReplayTable } from "./ReplayTable.tsx";
import { summaryOf } from "./replay-words.ts";

/** The A/A test on the experiment's own traffic: the newest one, and a button for a new one. */
export function ReplayPanel({ experimentId }: { readonly experimentId: string }) {
  const query = useQuery(queries.replay(experimentId));
  const unit = useQuery(queries.experiment(experimentId)).data?.unit ?? "user";
  const { mutate, error, isPending } = useReplay(experimentId);
  return (
    <Panel
      title="A/A replay"
      actions={
        <Button onPress={() => mutate()} isPending={isPending}>
          {isPending ? "Splitting control…" : query.data ? "Replay again" : "Replay control"}
        </Button>
      }
    >
      <p className="muted">
        Splits the {manyOf(unit)} of the control variant at random in two, a thousand times, and compares the
        halves of every metric as a night compares two variants. Nothing differs, so 5% of the splits should
        give p &lt; 0.05. Takes up to a minute and counts as an analysis.
      </p>
      {error ? <ProblemNotice problem={error} /> : null}
      <Loaded query={query}>{(replay) => (replay === null ? null : <Newest replay={replay} />)}</Loaded>
    </Panel>
  );
}

function Newest({ replay }: { readonly replay: Wire<"ExperimentReplay"> }) {
  const experiment = useQuery(queries.experiment(replay.experiment_id)).data;
  return (
    <>
      <p>
        <strong>{summaryOf(replay)}</strong>{" "}
        <span className="muted">
          {counted(replay.splits, "split")} of the events until <Time at={replay.until} />.
        </span>
      </p>
      <ReplayTable replay={replay} metrics={experiment?.metrics ?? []} unit={experiment?.unit ?? "user"} />
    </>
  );
}

function useReplay(id: string) {
  const cache = useQueryClient();
  const mutationKey = ["replay", id];
  const { mutate, error } = useMutation({
    mutationKey,
    mutationFn: () => unwrap(api.POST("/v1/experiments/{id}/replay", { params: { path: { id } } })),
    onSuccess: (replay) => {
      cache.setQueryData(queries.replay(id).queryKey, replay);
      announce(`The replay is done. ${summaryOf(replay)}`);
    },
  });
  // Still true when the person comes back to the page meanwhile.
  const isPending = useIsMutating({ mutationKey }) > 0;
  return { mutate, error, isPending };
}

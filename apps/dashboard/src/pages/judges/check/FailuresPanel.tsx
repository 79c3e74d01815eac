import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api, unwrap } from "../../../api/client.ts";
import { ArmLabel } from "../../../charts/ArmLabel.tsx";
import { capitalized } from "../../../format/metric-words.ts";
import { counted, percent } from "../../../format/numbers.ts";
import { announce } from "../../../ui/announce.ts";
import { Button } from "../../../ui/Button.tsx";
import { ProblemNotice } from "../../../ui/Notice.tsx";
import { Panel } from "../../../ui/Page.tsx";
import { Time } from "../../../ui/Time.tsx";
import { FAILURE_WORDS, failuresInWords } from "../judge-words.ts";
import { type JudgedMetric, type Judgement, judgeKey, judgeQueries } from "../queries.ts";
import { PagedList } from "./PagedList.tsx";

interface FailuresPanelProps {
  readonly experimentId: string;
  readonly metric: string;
  /** Undefined: loading, or not judged. */
  readonly item: JudgedMetric | undefined;
  readonly colors: ReadonlyMap<string, string>;
}

/** Failed judgements with their causes; they can be retried. */
export function FailuresPanel({ experimentId, metric, item, colors }: FailuresPanelProps) {
  const query = useInfiniteQuery(judgeQueries.failures(experimentId, metric));
  const retry = useRetry(experimentId, metric);
  const hasFailures = query.data?.pages.some(({ items }) => items.length > 0) ?? false;
  return (
    <Panel
      title="Failed judgements"
      actions={
        hasFailures ? (
          <Button onPress={() => retry.mutate()} isPending={retry.isPending}>
            Retry failed judgements
          </Button>
        ) : null
      }
    >
      {item === undefined || item.failed_share === null || item.failures.length === 0 ? null : (
        <p>
          {percent(item.failed_share)} of the judgements failed: {failuresInWords(item.failures).join("; ")}.
          Results do not include them. If one variant has more of them, its score may be too good.
        </p>
      )}
      {retry.error ? <ProblemNotice problem={retry.error} /> : null}
      <PagedList
        query={query}
        itemKey={({ event_id, metric_version, is_repeat }) => `${event_id} ${metric_version} ${is_repeat}`}
        empty="No failures."
        more="Show more failures"
      >
        {(judgement) => <Failure judgement={judgement} experimentId={experimentId} colors={colors} />}
      </PagedList>
    </Panel>
  );
}

function Failure({
  judgement,
  experimentId,
  colors,
}: Pick<FailuresPanelProps, "experimentId" | "colors"> & { readonly judgement: Judgement }) {
  const { event_id, variant, cause, detail, attempts, judged_at, is_repeat } = judgement;
  return (
    <>
      <p className="row">
        <strong>{cause === null ? "Failed" : capitalized(FAILURE_WORDS[cause])}</strong>
        <ArmLabel name={variant} color={colors.get(variant)} />
        <Link to="/experiments/$id/calls" params={{ id: experimentId }} search={{ call: event_id }}>
          View the call
        </Link>
      </p>
      {detail === null ? null : <p dir="auto">{detail}</p>}
      <p className="muted">
        {counted(attempts, "attempt")}
        {is_repeat ? ", repeated judgement" : ""}
        {judged_at === null ? null : (
          <>
            , the latest <Time at={judged_at} isRelative />
          </>
        )}
        .
      </p>
    </>
  );
}

function useRetry(id: string, metric: string) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: () =>
      unwrap(
        api.POST("/v1/experiments/{id}/judgements/retry", { params: { path: { id } }, body: { metric } }),
      ),
    onSuccess: async ({ retried }) => {
      announce(`${counted(retried, "judgement")} will be retried.`);
      await Promise.all([
        cache.invalidateQueries({ queryKey: judgeKey(id, metric) }),
        cache.invalidateQueries({ queryKey: ["judges"] }),
      ]);
    },
  });
}

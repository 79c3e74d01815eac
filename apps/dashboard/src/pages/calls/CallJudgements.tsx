import { Link } from "@tanstack/react-router";
import type { Experiment } from "../../api/types.ts";
import { SCORES, type Scale, scaleOf, scoreInWords } from "../../format/judge-words.ts";
import { Badge } from "../../ui/Badge.tsx";
import { FAILURE_WORDS } from "../judges/judge-words.ts";
import type { Judgement } from "../judges/queries.ts";
import { CallLabel } from "./CallLabel.tsx";
import { currentScores } from "./call-scores.ts";
import type { StoredCallDetail } from "./queries.ts";

interface CallJudgementsProps {
  readonly call: StoredCallDetail;
  readonly experiment: Experiment;
}

/** The judges' scores of the call, with their reasons. The reader can label the call. */
export function CallJudgements({ call, experiment }: CallJudgementsProps) {
  const judgements = currentScores(call.judgements);
  if (judgements.length === 0) return null;
  const firsts = judgements
    .filter(({ is_repeat }) => !is_repeat)
    .map((judgement) => ({ judgement, scale: scaleNow(judgement, experiment) }));
  const labelled = firsts.filter(({ judgement: { state }, scale }) => state !== "failed" && scale !== null);
  // The digit keys serve one metric: the first whose scores are digits.
  const withKeys = labelled.find(({ scale }) => scale !== null && SCORES[scale].length > 0)?.judgement.metric;
  return (
    <section aria-label="Judges">
      <h3>Judges</h3>
      {firsts.map(({ judgement, scale }) => (
        <MetricJudgement
          key={judgement.metric}
          judgement={judgement}
          scale={scale}
          repeat={judgements.find(({ metric, is_repeat }) => is_repeat && metric === judgement.metric)}
          experimentId={experiment.id}
          hasKeys={judgement.metric === withKeys}
        />
      ))}
      {labelled.length === 0 ? null : (
        <p className="muted">
          Labels of calls that you pick yourself measure how far the judge agrees with people, but they do not
          correct results. Only labels from the labeling queue do, where calls are drawn at random.
        </p>
      )}
    </section>
  );
}

/** The scale of a judgement; null for an earlier version of the metric, whose scale is unknown. */
function scaleNow({ metric, metric_version }: Judgement, { metrics }: Experiment): Scale | null {
  const definition = metrics.find(({ name }) => name === metric);
  return definition?.metric_version === metric_version ? scaleOf(definition.judge) : null;
}

interface MetricJudgementProps {
  readonly judgement: Judgement;
  /** The repeated judgement; undefined: the judge was asked once. */
  readonly repeat: Judgement | undefined;
  /** Null: the judgement belongs to an earlier version of the metric. */
  readonly scale: Scale | null;
  readonly experimentId: string;
  readonly hasKeys: boolean;
}

function MetricJudgement({ judgement, repeat, scale, experimentId, hasKeys }: MetricJudgementProps) {
  const { metric, metric_version: version, judge_version, reason, detail, state } = judgement;
  return (
    <div className="call-judgement">
      <h4 className="row">
        <Link to="/judges/$experimentId/$metric" params={{ experimentId, metric }}>
          {metric}
        </Link>
        <Verdict judgement={judgement} scale={scale} />
      </h4>
      {reason === null ? null : <p dir="auto">{reason}</p>}
      {state === "scored" || detail === null ? null : <p dir="auto">{detail}</p>}
      {repeat === undefined ? null : (
        <p className="muted">
          Second judgement: <Verdict judgement={repeat} scale={scale} /> {repeat.reason}
        </p>
      )}
      <p className="muted">
        By <code>{judge_version}</code>
        {scale === null ? `, for version ${version} of the metric` : ""}
      </p>
      {scale === null || state !== "scored" ? null : (
        <CallLabel experimentId={experimentId} judgement={judgement} scale={scale} hasKeys={hasKeys} />
      )}
    </div>
  );
}

function Verdict({ judgement, scale }: { readonly judgement: Judgement; readonly scale: Scale | null }) {
  const { state, score, cause } = judgement;
  if (state === "failed")
    return <Badge tone="bad">Failed{cause === null ? "" : `: ${FAILURE_WORDS[cause]}`}</Badge>;
  if (state === "pending" || score === null) return <Badge tone="quiet">Waiting for the judge</Badge>;
  return <Badge tone="info">Judge: {scoreInWords(scale, score)}</Badge>;
}

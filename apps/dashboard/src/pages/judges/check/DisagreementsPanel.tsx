import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ArmLabel } from "../../../charts/ArmLabel.tsx";
import { type Scale, scoreInWords } from "../../../format/judge-words.ts";
import { Panel } from "../../../ui/Page.tsx";
import { Time } from "../../../ui/Time.tsx";
import { type ComparedLabel, judgeQueries } from "../queries.ts";
import { PagedList } from "./PagedList.tsx";

interface DisagreementsPanelProps {
  readonly experimentId: string;
  readonly metric: string;
  readonly scale: Scale;
  readonly colors: ReadonlyMap<string, string>;
}

/** The answers on which judge and people disagree, with both reasons. */
export function DisagreementsPanel({ experimentId, metric, scale, colors }: DisagreementsPanelProps) {
  const query = useInfiniteQuery(judgeQueries.disagreements(experimentId, metric));
  return (
    <Panel title="Disagreements">
      <PagedList
        query={query}
        itemKey={({ event_id }) => event_id}
        empty="No label differs from the judge's score."
        more="Show more disagreements"
      >
        {(label) => <Disagreement label={label} experimentId={experimentId} scale={scale} colors={colors} />}
      </PagedList>
    </Panel>
  );
}

function Disagreement({
  label,
  experimentId,
  scale,
  colors,
}: Omit<DisagreementsPanelProps, "metric"> & { readonly label: ComparedLabel }) {
  const { event_id, variant, score, note, labelled_by, labelled_at, judge_score, judge_reason } = label;
  return (
    <>
      <p className="row">
        <span>
          People: <strong>{score === null ? "cannot tell" : scoreInWords(scale, score)}</strong> · Judge:{" "}
          <strong>{scoreInWords(scale, judge_score)}</strong>
        </span>
        <ArmLabel name={variant} color={colors.get(variant)} />
        <Link to="/experiments/$id/calls" params={{ id: experimentId }} search={{ call: event_id }}>
          View the call
        </Link>
      </p>
      <p dir="auto">
        <span className="muted">The judge:</span> {judge_reason}
      </p>
      {note ? (
        <p dir="auto">
          <span className="muted">{labelled_by.name}:</span> {note}
        </p>
      ) : null}
      <p className="muted">
        Labeled by {labelled_by.name}, <Time at={labelled_at} isRelative />.
      </p>
    </>
  );
}

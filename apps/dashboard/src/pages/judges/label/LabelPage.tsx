import { useParams } from "@tanstack/react-router";
import { LinkButton } from "../../../ui/Button.tsx";
import { Loaded } from "../../../ui/Loaded.tsx";
import { Meter } from "../../../ui/Meter.tsx";
import { ProblemNotice } from "../../../ui/Notice.tsx";
import { Page } from "../../../ui/Page.tsx";
import { LabelDesk } from "./LabelDesk.tsx";
import { OutboxNotice } from "./OutboxNotice.tsx";
import { QueueEnd } from "./QueueEnd.tsx";
import { useLabelling } from "./use-labelling.ts";
import "./label.css";

/** The labeling queue: people score judged answers one at a time, without seeing the judge's score. */
export default function LabelPage() {
  const { experimentId, metric } = useParams({ from: "/shell/judges/$experimentId/$metric/label" });
  return (
    <Page
      title={`Label: ${metric}`}
      lead="The variant and the judge's score are hidden, so that they do not influence you."
      actions={
        <LinkButton to="/judges/$experimentId/$metric" params={{ experimentId, metric }}>
          View the check
        </LinkButton>
      }
    >
      <OutboxNotice />
      <Queue key={`${experimentId} ${metric}`} experimentId={experimentId} metric={metric} />
    </Page>
  );
}

interface QueueProps {
  readonly experimentId: string;
  readonly metric: string;
}

function Queue({ experimentId, metric }: QueueProps) {
  const { query, session, say, takeBack } = useLabelling(experimentId, metric);
  const isOver = session.waiting.length === 0 && session.isDry;
  return (
    <Loaded query={query} lines={10}>
      {({ judge, unit, labelled, needed }) => (
        <>
          <Meter
            label="Labels for the variant with the fewest"
            value={labelled}
            max={needed}
            text={`${labelled} of ${needed}`}
          />
          {query.error !== null && session.waiting.length === 0 ? (
            <ProblemNotice problem={query.error} onRetry={() => query.refetch()} />
          ) : null}
          {isOver ? (
            <QueueEnd
              experimentId={experimentId}
              metric={metric}
              made={session.made.length}
              labelled={labelled}
              needed={needed}
              isLooking={query.isFetching}
              onLook={() => query.refetch()}
              onUndo={takeBack}
            />
          ) : (
            <LabelDesk judge={judge} unit={unit} session={session} onSay={say} onUndo={takeBack} />
          )}
        </>
      )}
    </Loaded>
  );
}

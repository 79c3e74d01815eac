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

/** Where people score answers that the judge has scored, one at a time, without knowing what it said. */
export default function LabelPage() {
  const { experimentId, metric } = useParams({ from: "/shell/judges/$experimentId/$metric/label" });
  return (
    <Page
      title={`Label: ${metric}`}
      lead="You see neither the variant nor what the judge says, so that your answer is your own."
      actions={
        <LinkButton to="/judges/$experimentId/$metric" params={{ experimentId, metric }}>
          What the labels say
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
      {({ judge, labelled, needed }) => (
        <>
          <Meter
            label="Labels that correct the judge, of the variant with the fewest"
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
            <LabelDesk judge={judge} session={session} onSay={say} onUndo={takeBack} />
          )}
        </>
      )}
    </Loaded>
  );
}

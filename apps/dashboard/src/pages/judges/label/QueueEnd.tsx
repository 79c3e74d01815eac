import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { queries } from "../../../api/queries.ts";
import { count, counted } from "../../../format/numbers.ts";
import { Button, LinkButton } from "../../../ui/Button.tsx";
import { Loaded } from "../../../ui/Loaded.tsx";
import { Notice } from "../../../ui/Notice.tsx";
import { agreementSentence, JUDGED_STATES } from "../judge-words.ts";
import { judgeQueries } from "../queries.ts";

interface QueueEndProps {
  readonly experimentId: string;
  readonly metric: string;
  /** Labels of this visit. */
  readonly made: number;
  /** Labels for the variant with the fewest, and how many it needs. */
  readonly labelled: number;
  readonly needed: number;
  readonly isLooking: boolean;
  readonly onLook: () => void;
  readonly onUndo: () => void;
}

/** Shown after the last call: the agreement so far. */
export function QueueEnd({
  experimentId,
  metric,
  made,
  labelled,
  needed,
  isLooking,
  onLook,
  onUndo,
}: QueueEndProps) {
  const agreement = useQuery(judgeQueries.agreement(experimentId, metric));
  const judges = useQuery(queries.judges());
  const item = judges.data?.items.find((one) => one.experiment_id === experimentId && one.metric === metric);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <section className="panel" aria-label="End of the queue">
      <h2 ref={heading} tabIndex={-1}>
        {made === 0 ? "No answers to label" : `You labeled ${counted(made, "answer")}`}
      </h2>
      {made === 0 ? (
        <p>
          You can label an answer once it has been drawn for the judge, as long as its text is stored. Answers
          are drawn after the end of each UTC day.
        </p>
      ) : (
        <p>There are no more answers to label right now.</p>
      )}
      {item === undefined || item.state === "judging" ? null : (
        <Notice tone="warn" title={JUDGED_STATES[item.state].word}>
          <p>{item.detail}</p>
        </Notice>
      )}
      <h3>Agreement so far</h3>
      <Loaded query={agreement} lines={2}>
        {(found) => (
          <>
            <p>{agreementSentence(found.overall)}</p>
            <p>
              {labelled >= needed
                ? `Every variant has ${count(needed)} labels or more, enough to correct averages with the default test.`
                : `The variant with the fewest has ${count(labelled)} of the ${count(needed)} labels needed to correct results.`}
            </p>
          </>
        )}
      </Loaded>
      <div className="row">
        <LinkButton look="primary" to="/judges/$experimentId/$metric" params={{ experimentId, metric }}>
          View disagreements
        </LinkButton>
        <Button onPress={onLook} isPending={isLooking}>
          Check for more
        </Button>
        {made === 0 ? null : <Button onPress={onUndo}>Undo the last label</Button>}
      </div>
    </section>
  );
}

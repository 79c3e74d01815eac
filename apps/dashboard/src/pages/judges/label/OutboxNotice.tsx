import { counted } from "../../../format/numbers.ts";
import { Button } from "../../../ui/Button.tsx";
import { Notice } from "../../../ui/Notice.tsx";
import { outbox, useOutbox } from "./tab-outbox.ts";

/** Says which labels the service does not have: those that wait for it, and those it refused. */
export function OutboxNotice() {
  const { unsent, problem, refused } = useOutbox();
  return (
    <>
      {problem === null ? null : (
        <Notice
          tone="warn"
          role="status"
          title={`${counted(unsent.length, "label")} not stored yet`}
          actions={<Button onPress={() => outbox.retry()}>Send now</Button>}
        >
          <p>
            {problem.message} Nothing is lost: this tab keeps your labels and sends them again by itself. You
            can go on labelling.
          </p>
        </Notice>
      )}
      {refused.length === 0 ? null : (
        <Notice
          tone="bad"
          role="alert"
          title={`${counted(refused.length, "label was", "labels were")} refused`}
          actions={<Button onPress={() => outbox.dismissRefused()}>Put this away</Button>}
        >
          <ul>
            {refused.map(({ label: { metric, eventId }, reason }) => (
              <li key={`${metric} ${eventId}`}>
                {metric}, event <code>{eventId}</code>: {reason}
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </>
  );
}

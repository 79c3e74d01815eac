import { counted } from "../../../format/numbers.ts";
import { Button } from "../../../ui/Button.tsx";
import { Notice } from "../../../ui/Notice.tsx";
import { outbox, useOutbox } from "./tab-outbox.ts";

/** Shows labels that are not stored: those waiting to be sent and those refused. */
export function OutboxNotice() {
  const { unsent, problem, refused } = useOutbox();
  return (
    <>
      {problem === null ? null : (
        <Notice
          tone="warn"
          role="status"
          title={`${counted(unsent.length, "label")} not saved yet`}
          actions={<Button onPress={() => outbox.retry()}>Send now</Button>}
        >
          <p>
            {problem.message} No labels are lost: this tab keeps them and sends them again automatically. You
            can continue labeling.
          </p>
        </Notice>
      )}
      {refused.length === 0 ? null : (
        <Notice
          tone="bad"
          role="alert"
          title={`${counted(refused.length, "label was", "labels were")} refused`}
          actions={<Button onPress={() => outbox.dismissRefused()}>Dismiss</Button>}
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

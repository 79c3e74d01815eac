import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Experiment } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { Loaded } from "../../ui/Loaded.tsx";
import { useSingleKeys } from "../../ui/use-single-keys.ts";
import { CallDetail } from "./CallDetail.tsx";
import { callQuery, type StoredCall } from "./queries.ts";

interface CallPanelProps {
  readonly experiment: Experiment;
  /** Null: no call is open. */
  readonly eventId: string | null;
  /** The table's calls, to move to the next and the previous one. */
  readonly calls: readonly StoredCall[];
  readonly colors: ReadonlyMap<string, string>;
  readonly onMove: (eventId: string) => void;
  readonly onClose: () => void;
  readonly onNearEnd: () => void;
  readonly onFilterUser: (userId: string) => void;
}

/** A drawer with the open call: its texts and facts, with J and K for the next and previous call. */
export function CallPanel({ eventId, onClose, ...panel }: CallPanelProps) {
  return (
    <Dialog title="Model call" isOpen={eventId !== null} onClose={onClose} place="side">
      {eventId === null ? null : <OpenCall {...panel} eventId={eventId} />}
    </Dialog>
  );
}

type OpenCallProps = Omit<CallPanelProps, "onClose"> & { readonly eventId: string };

function OpenCall({ experiment, eventId, calls, colors, onMove, onNearEnd, onFilterUser }: OpenCallProps) {
  const query = useQuery(callQuery(experiment.id, eventId));
  const index = calls.findIndex((call) => call.event_id === eventId);
  const next = index < 0 ? undefined : calls[index + 1]?.event_id;
  const previous = calls[index - 1]?.event_id;
  useSingleKeys((key) => {
    const target = { j: next, k: previous }[key];
    if (target !== undefined) onMove(target);
  }, "dialog");
  useEffect(() => {
    if (index >= 0 && index >= calls.length - 2) onNearEnd();
  }, [index, calls.length, onNearEnd]);
  return (
    <div className="call-panel">
      <nav className="row" aria-label="Neighboring calls">
        <Button isDisabled={previous === undefined} onPress={() => previous && onMove(previous)}>
          ↑ Previous <kbd>K</kbd>
        </Button>
        <Button isDisabled={next === undefined} onPress={() => next && onMove(next)}>
          ↓ Next <kbd>J</kbd>
        </Button>
        <span className="muted" role="status">
          {index < 0 ? "Not among the loaded calls." : `Call ${index + 1} in the table`}
        </span>
      </nav>
      <Loaded query={query} lines={8}>
        {(call) => (
          <CallDetail
            key={call.event_id}
            call={call}
            experiment={experiment}
            colors={colors}
            onFilterUser={onFilterUser}
          />
        )}
      </Loaded>
    </div>
  );
}

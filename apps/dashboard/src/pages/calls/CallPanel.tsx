import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { Loaded } from "../../ui/Loaded.tsx";
import { CallDetail } from "./CallDetail.tsx";
import { callQuery, type StoredCall } from "./queries.ts";

interface CallPanelProps {
  readonly experimentId: string;
  /** Null: no call is open. */
  readonly eventId: string | null;
  /** The table's calls, for the way to the next and the previous one. */
  readonly calls: readonly StoredCall[];
  readonly colors: ReadonlyMap<string, string>;
  readonly onMove: (eventId: string) => void;
  readonly onClose: () => void;
  readonly onNearEnd: () => void;
  readonly onFilterUser: (userId: string) => void;
}

/** The call that is open, from the right: its texts, its facts, and J and K to the next and the previous one. */
export function CallPanel({ eventId, onClose, ...panel }: CallPanelProps) {
  return (
    <Dialog title="Model call" isOpen={eventId !== null} onClose={onClose} place="side">
      {eventId === null ? null : <OpenCall {...panel} eventId={eventId} />}
    </Dialog>
  );
}

type OpenCallProps = Omit<CallPanelProps, "onClose"> & { readonly eventId: string };

function OpenCall({ experimentId, eventId, calls, colors, onMove, onNearEnd, onFilterUser }: OpenCallProps) {
  const query = useQuery(callQuery(experimentId, eventId));
  const index = calls.findIndex((call) => call.event_id === eventId);
  const next = index < 0 ? undefined : calls[index + 1]?.event_id;
  const previous = calls[index - 1]?.event_id;
  useMoveKeys({ j: next, k: previous }, onMove);
  useEffect(() => {
    if (index >= 0 && index >= calls.length - 2) onNearEnd();
  }, [index, calls.length, onNearEnd]);
  return (
    <div className="call-panel">
      <nav className="row" aria-label="Neighbouring calls">
        <Button isDisabled={previous === undefined} onPress={() => previous && onMove(previous)}>
          ↑ Previous <kbd>K</kbd>
        </Button>
        <Button isDisabled={next === undefined} onPress={() => next && onMove(next)}>
          ↓ Next <kbd>J</kbd>
        </Button>
        <span className="muted" role="status">
          {index < 0 ? "Not among the calls that the table has loaded." : `Call ${index + 1} of the table`}
        </span>
      </nav>
      <Loaded query={query} lines={8}>
        {(call) => <CallDetail call={call} colors={colors} onFilterUser={onFilterUser} />}
      </Loaded>
    </div>
  );
}

/** Hears single keys while a call is open, wherever the focus is inside; typing and shortcuts of the browser stay alone. */
function useMoveKeys(
  targets: Readonly<Record<"j" | "k", string | undefined>>,
  onMove: (eventId: string) => void,
): void {
  useEffect(() => {
    const hear = (event: KeyboardEvent) => {
      const key = event.key.toLowerCase();
      if (event.ctrlKey || event.metaKey || event.altKey || (key !== "j" && key !== "k")) return;
      const target = targets[key];
      if (target !== undefined) onMove(target);
    };
    window.addEventListener("keydown", hear);
    return () => window.removeEventListener("keydown", hear);
  });
}

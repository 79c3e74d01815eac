import { type RefObject, useState } from "react";
import { type Scale, scoreInWords } from "../../../format/scores.ts";
import { type LabelAction, stepped } from "./label-keys.ts";
import type { LabelSession, MadeLabel } from "./label-session.ts";

/** The label of the shown call before it is saved. */
interface Draft extends Pick<MadeLabel, "score" | "note"> {
  readonly eventId: string;
}

export interface DeskWork {
  readonly scale: Scale;
  readonly session: LabelSession;
  readonly onSay: (said: Pick<MadeLabel, "score" | "note">) => void;
  readonly onUndo: () => void;
}

/** The actions of the desk, by key or button, and what screen readers hear. */
export function useDesk(desk: RefObject<HTMLElement | null>, { scale, session, onSay, onUndo }: DeskWork) {
  const [kept, keep] = useState<Draft | null>(null);
  const [heard, setHeard] = useState("");
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [call] = session.waiting;
  const draft = kept !== null && kept.eventId === call?.event_id ? kept : draftOf(session);
  const change = (part: Partial<Draft>) => keep({ ...draft, ...part });
  const say = (score: number | null) => {
    if (call === undefined) return;
    onSay({ score, note: draft.note.trim() });
    const said = score === null ? "Cannot tell" : scoreInWords(scale, score);
    setHeard(`${said}. Next: number ${session.made.length + 2}.`);
  };
  const takeBack = () => {
    const isNothing = session.made.length === 0;
    setHeard(isNothing ? "Nothing to undo." : "Showing the last answer again.");
    onUndo();
  };
  const act = (action: LabelAction) => {
    switch (action.kind) {
      case "score":
        return say(action.score);
      case "choose":
        return change({ score: action.score });
      case "step":
        return change({ score: stepped(draft.score, action.by) });
      case "store":
        return draft.score === null ? setHeard("Choose a score first.") : say(draft.score);
      case "undo":
        return takeBack();
      case "note":
        return desk.current?.querySelector("textarea")?.focus();
      case "help":
        return setHelpOpen(true);
    }
  };
  return { draft, change, act, heard, isHelpOpen, closeHelp: () => setHelpOpen(false) };
}

/** Returns the undone label, or an empty one. */
function draftOf({ waiting: [call], undone }: LabelSession): Draft {
  const { score = null, note = "" } = undone ?? {};
  return { eventId: call?.event_id ?? "", score, note };
}

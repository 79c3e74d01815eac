import { type RefObject, useEffect, useState } from "react";
import { type Scale, scoreInWords } from "../../../format/judge-words.ts";
import { type LabelAction, stepped } from "./label-keys.ts";
import type { LabelSession, MadeLabel } from "./label-session.ts";
import { useOutbox } from "./tab-outbox.ts";

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

/** Keeps the focus where the keys work: on the next call, unless a button has it, which the person may press again. */
export function useDeskFocus(desk: RefObject<HTMLElement | null>, eventId: string | undefined): void {
  const { problem, refused } = useOutbox();
  const noticed = `${problem?.message ?? ""} ${refused.length}`;
  useEffect(() => {
    const call = eventId === undefined ? null : callOn(desk.current);
    const isOnButton = document.activeElement?.closest(".desk-buttons") != null;
    if (!isOnButton) (call ?? desk.current)?.focus({ preventScroll: true });
    if (call !== null && call.getBoundingClientRect().top < 0) call.scrollIntoView();
  }, [desk, eventId]);
  useEffect(() => {
    // A dismissed notice took the focus with its button.
    if (noticed !== "" && document.activeElement === document.body) callOn(desk.current)?.focus();
  }, [desk, noticed]);
}

/** Finds the shown call; null: none yet. */
export function callOn(desk: HTMLElement | null): HTMLElement | null {
  return desk?.querySelector<HTMLElement>("[data-call]") ?? null;
}

/** Handles single keys while the focus is on the desk, except in the note and where a control uses the key itself. */
export function useDeskKeys(
  desk: RefObject<HTMLElement | null>,
  actionOf: (key: string) => LabelAction | null,
  act: (action: LabelAction) => void,
): void {
  useEffect(() => {
    const place = desk.current;
    const hear = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      if (event.target instanceof HTMLTextAreaElement) {
        if (event.key === "Escape") callOn(place)?.focus();
        return;
      }
      const action = actionOf(event.key);
      if (action === null || isOwn(event.target, action)) return;
      event.preventDefault();
      act(action);
    };
    place?.addEventListener("keydown", hear);
    return () => place?.removeEventListener("keydown", hear);
  });
}

/** Returns whether the focused control uses the key itself: a button uses Enter, a slider the arrows. */
function isOwn(target: EventTarget | null, { kind }: LabelAction): boolean {
  if (!(target instanceof Element)) return false;
  if (kind === "store") return target.closest("button, a, summary") !== null;
  return kind === "step" && target instanceof HTMLInputElement;
}

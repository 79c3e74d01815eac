import { useMemo, useRef } from "react";
import { type Judge, type Scale, scaleOf } from "../../../format/judge-words.ts";
import { Dialog } from "../../../ui/Dialog.tsx";
import { Disclosure } from "../../../ui/Disclosure.tsx";
import { LongText } from "../../../ui/LongText.tsx";
import { useListedKeys } from "../../../ui/listed-keys.ts";
import { Skeleton } from "../../../ui/Page.tsx";
import { Table } from "../../../ui/Table.tsx";
import { actionOf, keyList } from "./label-keys.ts";
import type { LabelUnit, QueuedCall } from "./label-session.ts";
import { ScorePanel } from "./ScorePanel.tsx";
import { type DeskWork, useDesk, useDeskFocus, useDeskKeys } from "./use-desk.ts";

type LabelDeskProps = Omit<DeskWork, "scale"> & {
  readonly judge: Judge;
  /** What is scored: answers (`user`), or whole conversations or runs. */
  readonly unit: LabelUnit;
};

/** The call to label next to the rubric; every action has a key while the focus is inside. */
export function LabelDesk({ judge, unit, session, onSay, onUndo }: LabelDeskProps) {
  const place = useRef<HTMLElement>(null);
  const scale = scaleOf(judge);
  const [call] = session.waiting;
  const desk = useDesk(place, { scale, session, onSay, onUndo });
  useListedKeys(
    useMemo(() => ({ title: "While the focus is on the answer to label", rows: keyList(scale) }), [scale]),
  );
  useDeskFocus(place, call?.event_id);
  useDeskKeys(place, (key) => actionOf(scale, key), desk.act);
  return (
    <section ref={place} className="desk" aria-label="Labeling" tabIndex={-1}>
      <aside className="desk-rubric" aria-label="Rubric">
        <Disclosure title="Rubric: what makes an answer good" isOpen>
          <LongText text={judge.rubric} />
        </Disclosure>
      </aside>
      <div className="desk-call">
        {call === undefined ? (
          <Skeleton lines={8} />
        ) : (
          <CallToLabel key={call.event_id} call={call} unit={unit} number={session.made.length + 1} />
        )}
      </div>
      <ScorePanel
        scale={scale}
        draft={desk.draft}
        undone={session.undone}
        made={session.made.length}
        isWaiting={call === undefined}
        onDraft={desk.change}
        onAction={desk.act}
      />
      <p className="visually-hidden" role="status">
        {desk.heard}
      </p>
      <KeyDialog scale={scale} isOpen={desk.isHelpOpen} onClose={desk.closeHelp} />
    </section>
  );
}

interface KeyDialogProps {
  readonly scale: Scale;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** The keyboard shortcuts. */
function KeyDialog({ scale, isOpen, onClose }: KeyDialogProps) {
  return (
    <Dialog title="Keyboard shortcuts" isOpen={isOpen} onClose={onClose}>
      <p>Keys work while the focus is on the answer or the buttons below it.</p>
      <Table
        caption="Keys of the labeling queue"
        isCaptionHidden
        rows={keyList(scale)}
        rowKey={([keys]) => keys}
        columns={[
          { key: "keys", title: "Key", cell: ([keys]) => <kbd>{keys}</kbd> },
          { key: "what", title: "What it does", cell: ([, what]) => what },
        ]}
      />
    </Dialog>
  );
}

interface CallToLabelProps {
  readonly call: QueuedCall;
  readonly unit: LabelUnit;
  readonly number: number;
}

/** A question and its answer, or a transcript, as plain text. */
function CallToLabel({ call, unit, number }: CallToLabelProps) {
  if (unit !== "user")
    return (
      <article className="panel" aria-label={`Transcript number ${number}`} tabIndex={-1} data-call="">
        <h2>{unit === "run" ? "Run" : "Conversation"}</h2>
        <Words text={call.answer ?? ""} />
      </article>
    );
  return (
    <article className="panel" aria-label={`Answer number ${number}`} tabIndex={-1} data-call="">
      <h2>User input</h2>
      {call.input === null ? (
        <p className="muted">
          Not shown, because it cannot be separated from the variant's prompt. Judge the answer alone, or
          choose “Cannot tell”.
        </p>
      ) : (
        <Words text={call.input} />
      )}
      <h2>Answer</h2>
      <Answer text={call.answer} />
    </article>
  );
}

function Answer({ text }: { readonly text: string | null }) {
  if (text === null) return <p className="muted">The model call failed, so there is no answer.</p>;
  return text === "" ? <p className="muted">The answer is empty.</p> : <Words text={text} />;
}

function Words({ text }: { readonly text: string }) {
  return <LongText text={text} />;
}

import { useRef } from "react";
import { type Judge, scaleOf } from "../../../format/scores.ts";
import { Disclosure } from "../../../ui/Disclosure.tsx";
import { Skeleton } from "../../../ui/Page.tsx";
import { CallToLabel } from "./CallToLabel.tsx";
import { KeyDialog } from "./KeyDialog.tsx";
import { actionOf } from "./label-keys.ts";
import { ScorePanel } from "./ScorePanel.tsx";
import { type DeskWork, useDesk } from "./use-desk.ts";
import { useDeskFocus } from "./use-desk-focus.ts";
import { useDeskKeys } from "./use-desk-keys.ts";

type LabelDeskProps = Omit<DeskWork, "scale"> & { readonly judge: Judge };

/** The call to label next to the rubric; every action has a key while the focus is inside. */
export function LabelDesk({ judge, session, onSay, onUndo }: LabelDeskProps) {
  const place = useRef<HTMLElement>(null);
  const scale = scaleOf(judge);
  const [call] = session.waiting;
  const desk = useDesk(place, { scale, session, onSay, onUndo });
  useDeskFocus(place, call?.event_id);
  useDeskKeys(place, (key) => actionOf(scale, key), desk.act);
  return (
    <section ref={place} className="desk" aria-label="Labeling" tabIndex={-1}>
      <aside className="desk-rubric" aria-label="Rubric">
        <Disclosure title="Rubric: what makes an answer good" isOpen>
          <pre className="desk-text desk-rubric-text" tabIndex={0} dir="auto">
            {judge.rubric}
          </pre>
        </Disclosure>
      </aside>
      <div className="desk-call">
        {call === undefined ? (
          <Skeleton lines={8} />
        ) : (
          <CallToLabel key={call.event_id} call={call} number={session.made.length + 1} />
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

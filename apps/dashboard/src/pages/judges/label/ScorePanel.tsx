import { SCORES, type Scale, scoreInWords, scoreLabel } from "../../../format/judge-words.ts";
import { counted } from "../../../format/numbers.ts";
import { Button } from "../../../ui/Button.tsx";
import { TextArea } from "../../../ui/Field.tsx";
import { type LabelAction, STEP } from "./label-keys.ts";
import type { MadeLabel } from "./label-session.ts";

type Said = Pick<MadeLabel, "score" | "note">;

interface ScorePanelProps {
  readonly scale: Scale;
  readonly draft: Said;
  /** The label that was undone; null: none. */
  readonly undone: MadeLabel | null;
  /** Labels of this visit. */
  readonly made: number;
  /** The next call is still loading. */
  readonly isWaiting: boolean;
  readonly onDraft: (change: Partial<Said>) => void;
  readonly onAction: (action: LabelAction) => void;
}

/** The score buttons with their keys, and a note. */
export function ScorePanel({ scale, draft, undone, made, isWaiting, onDraft, onAction }: ScorePanelProps) {
  return (
    <>
      <div className="desk-score panel">
        {undone === null ? null : (
          <p>
            You said{" "}
            <strong>{undone.score === null ? "cannot tell" : scoreInWords(scale, undone.score)}</strong>. Your
            next label replaces it.
          </p>
        )}
        <div className="row desk-buttons">
          {scale === "0-1" ? (
            <AnyNumber score={draft.score} isWaiting={isWaiting} onDraft={onDraft} onAction={onAction} />
          ) : (
            SCORES[scale].map((score) => (
              <Button
                key={score}
                className="desk-button"
                isDisabled={isWaiting}
                onPress={() => onAction({ kind: "score", score })}
              >
                {scoreLabel(scale, score)} <Key name={String(score)} />
              </Button>
            ))
          )}
          <Button isDisabled={isWaiting} onPress={() => onAction({ kind: "score", score: null })}>
            Cannot tell <Key name="S" />
          </Button>
          <Button isDisabled={made === 0} onPress={() => onAction({ kind: "undo" })}>
            Undo <Key name="U" />
          </Button>
          <Button look="quiet" onPress={() => onAction({ kind: "help" })}>
            Keys <Key name="?" />
          </Button>
        </div>
      </div>
      <div className="desk-note">
        <TextArea
          label={
            <>
              Note <Key name="N" />
            </>
          }
          rows={2}
          maxLength={2_000}
          value={draft.note}
          onChange={(note) => onDraft({ note })}
        />
        <p className="muted">{counted(made, "answer")} labeled in this session.</p>
      </div>
    </>
  );
}

function AnyNumber({
  score,
  isWaiting,
  onDraft,
  onAction,
}: Pick<ScorePanelProps, "isWaiting" | "onDraft" | "onAction"> & { readonly score: number | null }) {
  return (
    <>
      <label className="desk-slider">
        <span>Score</span>
        <input
          type="range"
          min={0}
          max={1}
          step={STEP}
          value={score ?? 0.5}
          onChange={({ target }) => onDraft({ score: Number(target.value) })}
        />
        <output>{score === null ? "not set" : scoreInWords("0-1", score)}</output>
      </label>
      <Button isDisabled={isWaiting || score === null} onPress={() => onAction({ kind: "store" })}>
        Save <Key name="Enter" />
      </Button>
    </>
  );
}

function Key({ name }: { readonly name: string }) {
  return <kbd>{name}</kbd>;
}

import { WordDiff } from "../../../ui/WordDiff.tsx";
import type { ComparedAnswer } from "./queries.ts";

interface AnswerTextProps {
  readonly answer: ComparedAnswer;
  /** The text it is compared with; null: it is shown as it is. */
  readonly base: string | null;
}

/** An answer as plain text, or as its differences from another one. */
export function AnswerText({ answer: { answer, is_cut, variant, event_id }, base }: AnswerTextProps) {
  if (answer === null) return <p className="muted">The model call failed, so there is no answer.</p>;
  return (
    <>
      {base === null ? (
        <div className="comparison-text" dir="auto">
          {answer}
        </div>
      ) : (
        <WordDiff before={base} after={answer} label={`${variant} compared with control: ${event_id}`} />
      )}
      {is_cut ? (
        <p className="muted">The answer is longer: only its beginning is shown and compared.</p>
      ) : null}
    </>
  );
}

import { Link } from "@tanstack/react-router";
import type { Experiment } from "../../../api/types.ts";
import { ArmLabel } from "../../../charts/ArmLabel.tsx";
import { percent } from "../../../format/numbers.ts";
import { ProblemNotice } from "../../../ui/Notice.tsx";
import { AnswerFigures } from "./AnswerFigures.tsx";
import { AnswerText } from "./AnswerText.tsx";
import { pairOf, shuffled } from "./compare-search.ts";
import { PickButtons } from "./PickButtons.tsx";
import { PlacedComparison } from "./PlacedComparison.tsx";
import type { ComparedAnswer, Comparison } from "./queries.ts";
import type { CompareDesk } from "./use-compare-desk.ts";

interface ComparisonRowProps {
  readonly comparison: Comparison;
  readonly experiment: Experiment;
  readonly colors: ReadonlyMap<string, string>;
  readonly desk: CompareDesk;
  /** Its place in the list, from 0. */
  readonly place: number;
}

/**
 * A question with the variants' answers. While picking blind, the answers are in random order without their variants.
 */
export function ComparisonRow({ comparison, experiment, colors, desk, place }: ComparisonRowProps) {
  const { question, asked, answers } = comparison;
  const pair = pairOf(comparison);
  const isHidden = desk.isBlind && !desk.picked.has(pair);
  const shown = desk.isBlind ? shuffled(answers) : answers;
  const isCurrent = desk.current === place;
  return (
    <PlacedComparison question={question} places={desk} place={place}>
      <header className="comparison-head">
        <h2 dir="auto" title={question}>
          {question}
        </h2>
        <p className="muted">
          asked {asked === 1 ? "once" : `${asked} times`} ·{" "}
          <Link to="/experiments/$id/compare" params={{ id: experiment.id }} search={{ calls: pair }}>
            Link
          </Link>
        </p>
      </header>
      <div className="comparison-answers" style={{ "--answers": shown.length } as React.CSSProperties}>
        {shown.map((answer, index) => (
          <article
            key={answer.event_id}
            className="comparison-answer"
            aria-label={isHidden ? `Answer ${index + 1}` : answer.variant}
          >
            <h3>
              {isHidden ? (
                `Answer ${index + 1}`
              ) : (
                <ArmLabel name={answer.variant} color={colors.get(answer.variant)} />
              )}
              {!isHidden && desk.picked.get(pair) === answer.variant ? (
                <span className="good"> ✓ your pick</span>
              ) : null}
            </h3>
            <NearestQuestion answer={answer} />
            <AnswerText
              answer={answer}
              base={desk.isDiff && !desk.isBlind ? baseOf(answer, comparison, experiment) : null}
            />
            {isHidden ? null : <AnswerFigures answer={answer} experiment={experiment} />}
          </article>
        ))}
      </div>
      {isHidden ? <PickButtons answers={shown.length} onPick={(index) => desk.pick(place, index)} /> : null}
      {isCurrent && desk.problem !== null ? <ProblemNotice problem={desk.problem} /> : null}
    </PlacedComparison>
  );
}

/** The control's answer, to compare the others with. Null for itself, or without one. */
function baseOf(answer: ComparedAnswer, { answers }: Comparison, { control }: Experiment): string | null {
  const base = answers.find(({ variant }) => variant === control);
  return base === undefined || base === answer ? null : base.answer;
}

function NearestQuestion({ answer: { question, likeness } }: { readonly answer: ComparedAnswer }) {
  if (question === null) return null;
  return (
    <p className="muted comparison-nearest" title={`${percent(likeness)} of the words are the same.`}>
      Asked: <q dir="auto">{question}</q>
    </p>
  );
}

import { Link } from "@tanstack/react-router";
import type { Experiment } from "../../../api/types.ts";
import { scoreInWords } from "../../../format/judge-words.ts";
import { counted, dollars, milliseconds } from "../../../format/numbers.ts";
import { ThreadOfCall } from "../../calls/CallThread.tsx";
import type { ComparedAnswer } from "./queries.ts";

interface AnswerFiguresProps {
  readonly answer: ComparedAnswer;
  readonly experiment: Experiment;
}

/** Tokens, cost and latency of an answer, with the scores of judges and people. */
export function AnswerFigures({ answer, experiment }: AnswerFiguresProps) {
  const { output_tokens, cost_usd, latency_ms, event_id } = answer;
  const figures = [
    output_tokens === null ? null : counted(output_tokens, "token"),
    cost_usd === null ? null : dollars(cost_usd),
    latency_ms === null ? null : milliseconds(latency_ms),
  ].filter((figure) => figure !== null);
  return (
    <>
      {answer.scores.map((score) => (
        <Score key={`${score.metric} ${score.metric_version}`} score={score} />
      ))}
      <p className="muted comparison-figures">
        {figures.map((figure) => `${figure} · `)}
        <Link to="/experiments/$id/calls" params={{ id: experiment.id }} search={{ call: event_id }}>
          Open call
        </Link>
      </p>
      <ThreadOfCall eventId={event_id} experiment={experiment} />
    </>
  );
}

function Score({ score }: { readonly score: ComparedAnswer["scores"][number] }) {
  const { metric, scale, state, score: given, label, reason } = score;
  if (state !== "scored" || given === null)
    return (
      <p className="muted">
        {metric}: {state === "pending" ? "waiting for the judge" : "the judge gave no score"}
      </p>
    );
  return (
    <p className="comparison-score">
      <strong>
        {metric}: {scoreInWords(scale, given)}
      </strong>
      {label === null ? null : <span> · a person: {scoreInWords(scale, label)}</span>}
      {reason === null || reason === "" ? null : (
        <span className="muted" dir="auto">
          {" "}
          {reason}
        </span>
      )}
    </p>
  );
}

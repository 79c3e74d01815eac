import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "../../api/client.ts";
import { SCORES, type Scale, scoreInWords, scoreLabel } from "../../format/judge-words.ts";
import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { NumberField } from "../../ui/Field.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { useSingleKeys } from "../../ui/use-single-keys.ts";
import { type Judgement, judgeKey } from "../judges/queries.ts";

interface CallLabelProps {
  readonly experimentId: string;
  readonly judgement: Judgement;
  readonly scale: Scale;
  /** Digit keys label the call. */
  readonly hasKeys: boolean;
}

/** A person's label of a call that they picked. */
export function CallLabel({ experimentId, judgement, scale, hasKeys }: CallLabelProps) {
  const { metric, event_id: eventId, label } = judgement;
  const store = useLabel(experimentId, metric, eventId);
  const scores = SCORES[scale];
  useSingleKeys((key) => {
    if (hasKeys && /^\d$/.test(key) && scores.includes(Number(key))) store.mutate(Number(key));
  }, "dialog");
  return (
    <>
      <p>{label === null ? "Your label:" : `Label: ${scoreInWords(scale, label)}.`}</p>
      <div className="row">
        {scale === "0-1" ? (
          <AnyNumber label={label} onScore={store.mutate} isPending={store.isPending} />
        ) : null}
        {scores.map((score) => (
          <Button key={score} onPress={() => store.mutate(score)} aria-pressed={label === score}>
            {scoreLabel(scale, score)} {hasKeys ? <kbd>{score}</kbd> : null}
          </Button>
        ))}
      </div>
      {store.error ? <ProblemNotice problem={store.error} /> : null}
    </>
  );
}

interface AnyNumberProps {
  readonly label: number | null;
  readonly isPending: boolean;
  readonly onScore: (score: number) => void;
}

function AnyNumber({ label, isPending, onScore }: AnyNumberProps) {
  const [score, setScore] = useState(label ?? Number.NaN);
  return (
    <>
      <NumberField
        label="Score from 0 to 1"
        value={score}
        onChange={setScore}
        minValue={0}
        maxValue={1}
        step={0.01}
      />
      <Button isDisabled={Number.isNaN(score)} isPending={isPending} onPress={() => onScore(score)}>
        Save the label
      </Button>
    </>
  );
}

function useLabel(id: string, metric: string, eventId: string) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (score: number) =>
      unwrap(
        api.POST("/v1/experiments/{id}/labels", {
          params: { path: { id } },
          body: { metric, event_id: eventId, score },
        }),
      ),
    onSuccess: async () => {
      announce("Label saved.");
      await Promise.all([
        cache.invalidateQueries({ queryKey: ["experiment", id, "call", eventId] }),
        cache.invalidateQueries({ queryKey: judgeKey(id, metric) }),
        cache.invalidateQueries({ queryKey: ["judges"] }),
      ]);
    },
  });
}

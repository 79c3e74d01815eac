import { useMutation, useQuery } from "@tanstack/react-query";
import { useMatch } from "@tanstack/react-router";
import { useWatch } from "react-hook-form";
import { api, unwrap } from "../../api/client.ts";
import { queries } from "../../api/queries.ts";
import type { Wire } from "../../api/types.ts";
import { scoreInWords } from "../../format/judge-words.ts";
import { counted, dollars } from "../../format/numbers.ts";
import { Button } from "../../ui/Button.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { Table } from "../../ui/Table.tsx";
import type { ExperimentValues } from "./form-values.ts";
import type { MetricValues } from "./metric-values.ts";

type Rubric = Pick<MetricValues, "rubric" | "scale">;
type Trial = Wire<"TriedRubric"> & Rubric;
type Item = Trial["items"][number];

/** What a judge scores, by the experiment's unit. */
const TRIED = { user: "answer", conversation: "conversation", run: "run" } as const;

/** Makes the judge score ten answers, conversations or runs by the current rubric. Nothing is saved. */
export function TryRubric({ metric: { rubric, scale } }: { readonly metric: Rubric }) {
  const judges = useQuery(queries.judges());
  const id = useMatch({ from: "/shell/experiments/$id/change", shouldThrow: false })?.params.id;
  const unit = useWatch<ExperimentValues, "unit">({ name: "unit" }) ?? "user";
  const trial = useMutation({
    mutationFn: async (): Promise<Trial> => {
      const of = id === undefined ? { unit } : { experiment_id: id };
      const body = { judge: { rubric, scale }, ...of };
      return { ...(await unwrap(api.POST("/v1/judges/try", { body }))), rubric, scale };
    },
  });
  // Without a judge, the notice above says why and what to do.
  if (judges.data === undefined || judges.data.lock !== null || !judges.data.is_configured) return null;
  return (
    <div className="try-rubric">
      <Button onPress={() => trial.mutate()} isPending={trial.isPending} isDisabled={rubric.trim() === ""}>
        {trial.isPending ? "The judge is reading…" : `Try this rubric on 10 ${TRIED[unit]}s`}
      </Button>
      {trial.error ? <ProblemNotice problem={trial.error} /> : null}
      {trial.data === undefined ? null : (
        <Scores trial={trial.data} isOfNow={trial.data.rubric === rubric && trial.data.scale === scale} />
      )}
    </div>
  );
}

interface ScoresProps {
  readonly trial: Trial;
  /** The rubric has not been edited since. */
  readonly isOfNow: boolean;
}

function Scores({
  trial: { items, scale, cost_usd: cost, model, experiment_name: name, unit },
  isOfNow,
}: ScoresProps) {
  if (name === null)
    return (
      <p className="field-hint">There are no {TRIED[unit]}s yet: try it once the first calls have arrived.</p>
    );
  return (
    <>
      <p className="field-hint" role="status">
        {model} scored {counted(items.length, TRIED[unit])} of {name}
        {cost === null ? "" : ` for ${dollars(cost)}`}. These scores are not stored.
        {isOfNow ? "" : " The rubric has been edited since."}
      </p>
      <Table
        caption="Scores by this rubric"
        isCaptionHidden
        narrow="stacks"
        rows={items}
        rowKey={({ event_id }) => event_id}
        columns={[
          ...(unit === "user"
            ? [
                {
                  key: "question",
                  title: "Question",
                  cell: ({ question }: Item) => <Excerpt text={question ?? ""} />,
                },
              ]
            : []),
          {
            key: "answer",
            title: { user: "Answer", conversation: "Conversation", run: "Run" }[unit],
            cell: ({ answer }: Item) => <Excerpt text={answer} />,
          },
          {
            key: "score",
            title: "Score",
            cell: ({ score }) => <b>{score === null ? "no score" : scoreInWords(scale, score)}</b>,
          },
          {
            key: "reason",
            title: "Reason",
            cell: ({ reason, detail }) => <span dir="auto">{reason ?? detail}</span>,
          },
        ]}
      />
    </>
  );
}

function Excerpt({ text }: { readonly text: string }) {
  return (
    <span className="try-excerpt" dir="auto" title={text}>
      {text}
    </span>
  );
}

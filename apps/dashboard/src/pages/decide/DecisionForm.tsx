import "./decide.css";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { FormProvider, useForm } from "react-hook-form";
import { Problem } from "../../api/problem.ts";
import { putExperiment, refreshExperiment } from "../../api/queries.ts";
import type { Experiment } from "../../api/types.ts";
import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { focusFirstError } from "../../ui/focus-first-error.ts";
import { Notice, ProblemNotice } from "../../ui/Notice.tsx";
import { dropDraft, readDraft, useDraft } from "../../ui/use-draft.ts";
import { DecisionFields, type DecisionValues, NONE } from "./DecisionFields.tsx";
import { isAgainst, type Recommendation } from "./recommendation.ts";

interface DecisionFormProps {
  readonly experiment: Experiment;
  readonly recommendation: Recommendation;
}

/** The form of a decision: outcome, variant to ship, and why. */
export function DecisionForm({ experiment, recommendation }: DecisionFormProps) {
  const draftKey = `decide-${experiment.id}`;
  const form = useForm<DecisionValues>({
    defaultValues: readDraft<DecisionValues>(draftKey) ?? initial(experiment, recommendation),
  });
  useDraft(draftKey, form);
  const place = useRef<HTMLDivElement>(null);
  const { submitCount } = form.formState;
  useEffect(() => {
    if (submitCount > 0) focusFirstError(place.current);
  }, [submitCount]);
  const decide = useDecide(experiment, draftKey);
  const { outcome, variant } = form.watch();
  const isStopped = experiment.status === "stopped";
  const against = !isStopped && isAgainst(recommendation, { outcome, variant: variant || null });
  const submit = form.handleSubmit(async ({ note, ...choice }) => {
    await decide.mutateAsync({ ...choice, variant: choice.variant || null, note: note.trim() || null });
  });
  return (
    <FormProvider {...form}>
      <div className="form" ref={place}>
        <DecisionFields experiment={experiment} recommendation={recommendation} isAgainst={against} />
        {isStopped ? null : <StopMeaning control={experiment.control ?? "control"} />}
        {decide.error ? (
          <DecideProblem problem={decide.error} id={experiment.id} onReload={decide.reset} />
        ) : null}
        <div className="row">
          <Button
            look={isStopped ? "primary" : "danger"}
            isPending={decide.isPending}
            // The failure is shown above.
            onPress={() => void submit().catch(() => undefined)}
          >
            {isStopped ? "Save the decision" : "Stop the experiment"}
          </Button>
        </div>
      </div>
    </FormProvider>
  );
}

function initial(experiment: Experiment, recommendation: Recommendation): DecisionValues {
  const { decision } = experiment;
  if (decision)
    return { outcome: decision.outcome, variant: decision.variant ?? NONE, note: decision.note ?? "" };
  return { outcome: recommendation.outcome, variant: recommendation.variant ?? NONE, note: "" };
}

interface DecideProblemProps {
  readonly problem: Error;
  readonly id: string;
  readonly onReload: () => void;
}

/** Someone changed the experiment meanwhile: reload it and keep the input. */
function DecideProblem({ problem, id, onReload }: DecideProblemProps) {
  const cache = useQueryClient();
  const isStale = problem instanceof Problem && problem.kind === "version-mismatch";
  const reload = () => {
    onReload();
    return cache.invalidateQueries({ queryKey: ["experiment", id] });
  };
  if (!isStale) return <ProblemNotice problem={problem} />;
  return (
    <Notice
      tone="warn"
      role="alert"
      title="Someone changed the experiment meanwhile"
      actions={<Button onPress={reload}>Reload, keep my decision</Button>}
    >
      <p>Check its current state before you stop it. Your input is kept.</p>
    </Notice>
  );
}

function StopMeaning({ control }: { readonly control: string }) {
  return (
    <Notice tone="warn" title="What stopping means for users">
      <p>
        From your application's next config poll on, no user has a variant: your code gets null and behaves as
        for {control}. This includes users of the variant you choose here; to ship it to everyone, change your
        code. All results stay, and you can resume the experiment.
      </p>
    </Notice>
  );
}

type Decision = NonNullable<Experiment["decision"]>;

/** Stops the experiment with a decision, unless someone changed it meanwhile, and opens its report. */
function useDecide({ id, name, version }: Experiment, draftKey: string) {
  const cache = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (decision: Decision) => putExperiment({ id, version }, { status: "stopped", decision }),
    onSuccess: async () => {
      dropDraft(draftKey);
      await refreshExperiment(cache, id);
      announce(`${name} is stopped, and the decision is recorded.`);
      await navigate({ to: "/experiments/$id/report", params: { id } });
    },
  });
}

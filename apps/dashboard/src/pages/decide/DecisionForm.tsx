import "./decide.css";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { FormProvider, useForm } from "react-hook-form";
import { Problem } from "../../api/problem.ts";
import { putExperiment, refreshExperiment } from "../../api/queries.ts";
import type { Experiment } from "../../api/types.ts";
import { handedOutWords } from "../../format/handed-out.ts";
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

/** The form of a decision: the outcome, the chosen variant, why, and what users get from then on. */
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
  const { outcome, variant, holdback = NONE } = form.watch();
  const isRunning = experiment.status === "running";
  const canShip = !experiment.flag_key && variant !== NONE && variant !== experiment.shipped_variant;
  const canHoldBack =
    canShip &&
    experiment.status !== "shipped" &&
    !experiment.holdback &&
    experiment.assignment !== "external" &&
    variant !== experiment.control;
  const against =
    isRunning && isAgainst(recommendation, { outcome, variant: variant || null }, experiment.control);
  const heldBack = canHoldBack && holdback !== NONE ? holdback : null;
  /** Without a status, the status does not change. */
  const submit = (status?: "stopped" | "shipped") =>
    form
      .handleSubmit(async ({ note, holdback: _, ...choice }) => {
        const decision = { ...choice, variant: choice.variant || null, note: note.trim() || null };
        await decide.mutateAsync({
          decision,
          ...(status && { status }),
          ...(status === "shipped" && { shipped_variant: choice.variant }),
          ...(status === "shipped" && heldBack !== null && { holdback: { percent: Number(heldBack) } }),
        });
      })()
      // The failure is shown above.
      .catch(() => undefined);
  const isShipFirst = canShip && (outcome === "won" || !isRunning);
  return (
    <FormProvider {...form}>
      <div className="form" ref={place}>
        <DecisionFields
          experiment={experiment}
          recommendation={recommendation}
          isAgainst={against}
          canHoldBack={canHoldBack}
        />
        <dl className="decide-meanings">
          {canShip ? <ShipMeaning variant={variant} heldBack={heldBack} /> : null}
          {isRunning ? <StopMeaning experiment={experiment} /> : null}
        </dl>
        {decide.error ? (
          <DecideProblem problem={decide.error} id={experiment.id} onReload={decide.reset} />
        ) : null}
        <div className="row">
          {canShip ? (
            <Button
              look={isShipFirst ? "primary" : "plain"}
              isPending={decide.isPending}
              onPress={() => void submit("shipped")}
            >
              {heldBack === null ? `Ship ${variant} to everybody` : `Ship ${variant}, hold back ${heldBack}%`}
            </Button>
          ) : null}
          {isRunning ? (
            <Button
              look={isShipFirst ? "plain" : "danger"}
              isPending={decide.isPending}
              onPress={() => void submit("stopped")}
            >
              Stop without shipping
            </Button>
          ) : (
            <Button
              look={isShipFirst ? "plain" : "primary"}
              isPending={decide.isPending}
              onPress={() => void submit()}
            >
              Save the decision
            </Button>
          )}
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

/** Somebody changed the experiment meanwhile: reload it and keep the input. */
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

interface ShipMeaningProps {
  readonly variant: string;
  /** Percent of the users who keep control; null: nobody does. */
  readonly heldBack: string | null;
}

function ShipMeaning({ variant, heldBack }: ShipMeaningProps) {
  return (
    <div>
      <dt>Ship {variant}</dt>
      <dd>
        From your application's next config poll on, everybody{" "}
        {heldBack === null ? "" : `but the ${heldBack}% held back `}gets {variant} with its prompt and
        variables, without a code change.{" "}
        {heldBack === null
          ? "No more users are counted. All results are kept."
          : "Exposures are recorded and metered as before until the holdback ends. All results are kept."}{" "}
        You can take it back with one click.
      </dd>
    </div>
  );
}

function StopMeaning({
  experiment: { flag_key, control = "control" },
}: Pick<DecisionFormProps, "experiment">) {
  return (
    <div>
      <dt>Stop without shipping</dt>
      <dd>
        {flag_key
          ? `No more exposures are counted. The flag ${flag_key} keeps giving users its variants: change it there.`
          : `From your application's next config poll on, nobody gets a variant: your code gets null and behaves as with ${control}.`}{" "}
        All results are kept, and you can resume the experiment.
      </dd>
    </div>
  );
}

type Ending = Pick<
  Parameters<typeof putExperiment>[1],
  "status" | "shipped_variant" | "decision" | "holdback"
>;

/** Ends the experiment with a decision and opens its report, unless somebody changed it meanwhile. */
function useDecide({ id, name, version }: Experiment, draftKey: string) {
  const cache = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (ending: Ending) => putExperiment({ id, version }, ending),
    onSuccess: async (ended) => {
      dropDraft(draftKey);
      await refreshExperiment(cache, id);
      const end = ended.status === "shipped" ? handedOutWords(ended) : `${name} is stopped.`;
      announce(`${end} The decision is recorded.`);
      await navigate({ to: "/experiments/$id/report", params: { id } });
    },
  });
}

import { useQueryClient } from "@tanstack/react-query";
import { Label, Radio, RadioGroup } from "react-aria-components";
import { Controller, useForm } from "react-hook-form";
import type { Experiment } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { SelectField, TextArea } from "../../ui/Field.tsx";
import { Notice, ProblemNotice } from "../../ui/Notice.tsx";
import { readDraft, useDraft } from "../../ui/use-draft.ts";
import { OUTCOMES } from "./outcomes.ts";
import { isAgainst, type Outcome, type Recommendation, usualVariant } from "./recommendation.ts";
import { useDecide } from "./use-decide.ts";
import "./decide.css";

interface DecisionValues {
  outcome: Outcome;
  variant: string;
  note: string;
}

/** Nobody is to get anything new. */
const NONE = "";
const SENTENCE = 10;

interface DecisionFormProps {
  readonly experiment: Experiment;
  readonly recommendation: Recommendation;
}

/** Takes the decision: outcome, what everybody is to get, and why. */
export function DecisionForm({ experiment, recommendation }: DecisionFormProps) {
  const draftKey = `decide-${experiment.id}`;
  const form = useForm<DecisionValues>({
    defaultValues: readDraft<DecisionValues>(draftKey) ?? initial(experiment, recommendation),
  });
  useDraft(draftKey, form);
  const decide = useDecide(experiment, draftKey);
  const cache = useQueryClient();
  const { outcome, variant } = form.watch();
  const isStopped = experiment.status === "stopped";
  const against = !isStopped && isAgainst(recommendation, { outcome, variant: variant || null });
  const submit = form.handleSubmit(async ({ note, ...choice }) => {
    await decide.mutateAsync({ ...choice, variant: choice.variant || null, note: note.trim() || null });
  });
  const reload = () => {
    decide.reset();
    return cache.invalidateQueries({ queryKey: ["experiment", experiment.id] });
  };
  return (
    <div className="form">
      <Controller
        control={form.control}
        name="outcome"
        render={({ field }) => (
          <OutcomeChoice
            value={field.value}
            onChange={(next) => {
              field.onChange(next);
              form.setValue("variant", usualVariant(next, experiment, recommendation) ?? NONE);
            }}
          />
        )}
      />
      <Controller
        control={form.control}
        name="variant"
        render={({ field }) => (
          <SelectField
            label="What everybody is to get"
            hint="Kept with the decision. Shipping it is a change in your code."
            options={variantOptions(experiment)}
            value={field.value}
            onChange={field.onChange}
          />
        )}
      />
      <Controller
        control={form.control}
        name="note"
        rules={{
          validate: (note) =>
            !against || note.trim().length >= SENTENCE || "Say in a sentence why you decide otherwise.",
        }}
        render={({ field, fieldState }) => (
          <TextArea
            label={against ? "Why do you decide against the recommendation?" : "Note"}
            hint={against ? "One sentence that a colleague understands in a year." : "May stay empty."}
            isRequired={against}
            value={field.value}
            onChange={field.onChange}
            error={fieldState.error?.message}
          />
        )}
      />
      {isStopped ? null : <StopMeaning control={experiment.control ?? "control"} />}
      {decide.error ? (
        <ProblemNotice
          problem={decide.error}
          onRetry={"kind" in decide.error && decide.error.kind === "version-mismatch" ? reload : undefined}
        />
      ) : null}
      <div className="row">
        <Button
          look={isStopped ? "primary" : "danger"}
          isPending={decide.isPending}
          onPress={() => {
            submit().catch(() => undefined);
          }}
        >
          {isStopped ? "Save the decision" : "Stop the experiment"}
        </Button>
      </div>
    </div>
  );
}

function initial(experiment: Experiment, recommendation: Recommendation): DecisionValues {
  const { decision } = experiment;
  if (decision)
    return { outcome: decision.outcome, variant: decision.variant ?? NONE, note: decision.note ?? "" };
  return { outcome: recommendation.outcome, variant: recommendation.variant ?? NONE, note: "" };
}

function variantOptions({ variants, control }: Experiment) {
  return [
    ...(variants ?? []).map(({ key }) => ({ value: key, label: key === control ? `${key} (control)` : key })),
    { value: NONE, label: "Nothing is chosen" },
  ];
}

interface OutcomeChoiceProps {
  readonly value: Outcome;
  readonly onChange: (value: Outcome) => void;
}

function OutcomeChoice({ value, onChange }: OutcomeChoiceProps) {
  return (
    <RadioGroup
      className="outcomes"
      value={value}
      onChange={(next) => {
        const chosen = OUTCOMES.find((outcome) => outcome.value === next);
        if (chosen) onChange(chosen.value);
      }}
    >
      <Label>Outcome</Label>
      {OUTCOMES.map((outcome) => (
        <Radio key={outcome.value} value={outcome.value} className="outcome">
          <span className="outcome-dot" aria-hidden="true" />
          <span>
            <strong>{outcome.label}</strong> <span className="muted">{outcome.meaning}</span>
          </span>
        </Radio>
      ))}
    </RadioGroup>
  );
}

function StopMeaning({ control }: { readonly control: string }) {
  return (
    <Notice tone="warn" title="What stopping means for users">
      <p>
        From your application's next config poll on, nobody has a variant: your code gets null and does what
        it does for {control}. That holds for users of every variant, also of the one you choose here. To give
        it to everybody, change your code. What was measured stays, and the experiment can run again.
      </p>
    </Notice>
  );
}

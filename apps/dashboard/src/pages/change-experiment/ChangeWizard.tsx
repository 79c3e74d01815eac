import { useState } from "react";
import { FormProvider } from "react-hook-form";
import type { Experiment } from "../../api/types.ts";
import { dropDraft } from "../../ui/use-draft.ts";
import { valuesOf } from "../experiment-form/form-values.ts";
import { useExperimentForm } from "../experiment-form/use-experiment-form.ts";
import { Conflict } from "./Conflict.tsx";
import { changeOf, rebased } from "./change-of.ts";
import { EditStep } from "./EditStep.tsx";
import { InForce } from "./InForce.tsx";
import { ReviewStep } from "./ReviewStep.tsx";
import { useChange } from "./use-change.ts";
import "../experiment-form/experiment-form.css";
import "./change.css";

interface ChangeWizardProps {
  readonly latest: Experiment;
  readonly older: readonly Experiment[];
}

/** The steps of a change: edit, read what it does, save, read what is in force. */
export function ChangeWizard({ latest, older }: ChangeWizardProps) {
  const draftKey = `change-${latest.id}`;
  const { form, place, focusFault, showFaults, submit } = useExperimentForm(draftKey, () => valuesOf(latest));
  const [isReviewing, review] = useState(false);
  const [unplaced, setUnplaced] = useState<readonly string[]>([]);
  const values = form.watch();
  const base = [latest, ...older].find(({ version }) => version === values.baseVersion) ?? latest;
  const change = changeOf(base, values);
  const put = useChange(base, draftKey);
  if (put.data !== undefined) return <InForce before={base} after={put.data} change={change} />;
  const backToFields = () => {
    review(false);
    focusFault();
  };
  const save = async () => {
    setUnplaced([]);
    try {
      const isSent = await submit(async () => {
        await put.mutateAsync(change);
      });
      if (!isSent) backToFields();
    } catch (error) {
      setUnplaced(showFaults(error));
      if (Object.keys(form.formState.errors).length > 0) backToFields();
    }
  };
  const drop = () => {
    form.reset(valuesOf(latest));
    dropDraft(draftKey);
    put.reset();
    review(false);
  };
  // Not a submit: what is typed is kept as a draft until it is saved.
  const toReview = async () => {
    if (await form.trigger()) review(true);
    else focusFault();
  };
  return (
    <FormProvider {...form}>
      {base.version < latest.version ? (
        <Conflict
          base={base}
          latest={latest}
          change={change}
          onRebase={() => {
            form.reset(rebased(latest, { change, isToRun: values.isToRun }), { keepDefaultValues: true });
            put.reset();
          }}
          onDiscard={drop}
        />
      ) : null}
      <div ref={place}>
        {isReviewing ? (
          <ReviewStep
            base={base}
            change={change}
            onBack={() => review(false)}
            onSave={save}
            isPending={put.isPending}
            problem={put.error}
            unplaced={unplaced}
          />
        ) : (
          <EditStep base={base} change={change} onNext={toReview} onDrop={drop} />
        )}
      </div>
    </FormProvider>
  );
}

import { FormProvider } from "react-hook-form";
import type { Experiment } from "../../api/types.ts";
import { Conflict } from "./Conflict.tsx";
import { EditStep } from "./EditStep.tsx";
import { InForce } from "./InForce.tsx";
import { ReviewStep } from "./ReviewStep.tsx";
import { useChangeWizard } from "./use-change-wizard.ts";
import "../experiment-form/experiment-form.css";
import "./change.css";

interface ChangeWizardProps {
  readonly latest: Experiment;
  readonly older: readonly Experiment[];
}

/** The steps of a change: edit, review, save, see what is in force. */
export function ChangeWizard({ latest, older }: ChangeWizardProps) {
  const wizard = useChangeWizard(latest, older);
  const { form, base, change, put, drop } = wizard;
  if (put.data !== undefined) return <InForce before={base} after={put.data} change={change} />;
  return (
    <FormProvider {...form}>
      {base.version < latest.version ? (
        <Conflict base={base} latest={latest} change={change} onRebase={wizard.rebase} onDiscard={drop} />
      ) : null}
      <div ref={wizard.place}>
        {wizard.isReviewing ? (
          <ReviewStep
            base={base}
            change={change}
            isExposed={wizard.isExposed}
            onBack={() => wizard.review(false)}
            onSave={wizard.save}
            isPending={put.isPending}
            problem={put.error}
            unplaced={wizard.unplaced}
          />
        ) : (
          <EditStep
            base={base}
            change={change}
            isExposed={wizard.isExposed}
            onNext={wizard.toReview}
            onDrop={drop}
          />
        )}
      </div>
    </FormProvider>
  );
}

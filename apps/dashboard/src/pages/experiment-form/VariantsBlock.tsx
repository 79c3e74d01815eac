import { memo } from "react";
import { useFormContext, useFormState, useWatch } from "react-hook-form";
import { Button } from "../../ui/Button.tsx";
import { Panel } from "../../ui/Page.tsx";
import { FormFault } from "./FormFault.tsx";
import { type ExperimentValues, withoutVariant, withVariant } from "./form-values.ts";
import { VariantCard } from "./VariantCard.tsx";

const MOST = 20;

interface VariantsBlockProps {
  readonly title: string;
  /** Ids of variants that users may have: they can be switched off, not removed. */
  readonly storedIds?: ReadonlySet<string>;
}

/** What is compared: the variants side by side. */
export const VariantsBlock = memo(function VariantsBlock({ title, storedIds }: VariantsBlockProps) {
  const { control, setValue, getValues, clearErrors } = useFormContext<ExperimentValues>();
  // Not the variants themselves: a keystroke in one prompt would draw all of them anew.
  const ids = useWatch({ control, compute: ({ variants }) => variants.map(({ id }) => id) });
  const { errors } = useFormState<ExperimentValues>();
  const change = (next: ExperimentValues["variants"]) => {
    clearErrors("variants");
    setValue("variants", next, { shouldDirty: true });
  };
  const remove = (id: string) => {
    const next = withoutVariant(getValues("variants"), id);
    change(next);
    if (id === getValues("controlId")) setValue("controlId", next[0]?.id ?? "", { shouldDirty: true });
  };
  return (
    <Panel title={title}>
      <p className="muted">
        What a variant holds reaches your application as it stands: a prompt, variables, or both. Without
        either, your code tells variants apart by name.
      </p>
      <FormFault message={errors.variants?.message} />
      <section className="variant-cards" aria-label="Variants side by side" tabIndex={0}>
        {ids.map((id, index) => {
          const isStored = storedIds?.has(id) ?? false;
          const canRemove = !isStored && ids.length > 2;
          return (
            <VariantCard
              key={id}
              index={index}
              isStored={isStored}
              onRemove={canRemove ? () => remove(id) : null}
            />
          );
        })}
      </section>
      <Button isDisabled={ids.length >= MOST} onPress={() => change(withVariant(getValues("variants")))}>
        Add a variant
      </Button>
    </Panel>
  );
});

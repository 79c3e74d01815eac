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
export function VariantsBlock({ title, storedIds }: VariantsBlockProps) {
  const { setValue, clearErrors } = useFormContext<ExperimentValues>();
  const [variants, controlId] = useWatch<ExperimentValues, ["variants", "controlId"]>({
    name: ["variants", "controlId"],
  });
  const { errors } = useFormState<ExperimentValues>();
  const change = (next: ExperimentValues["variants"]) => {
    clearErrors("variants");
    setValue("variants", next, { shouldDirty: true });
  };
  const remove = (id: string) => {
    const next = withoutVariant(variants, id);
    change(next);
    if (id === controlId) setValue("controlId", next[0]?.id ?? "", { shouldDirty: true });
  };
  return (
    <Panel title={title}>
      <p className="muted">
        What a variant holds reaches your application as it stands: a prompt, variables, or both. Without
        either, your code tells variants apart by name.
      </p>
      <FormFault message={errors.variants?.message} />
      <section className="variant-cards" aria-label="Variants side by side" tabIndex={0}>
        {variants.map(({ id }, index) => {
          const isStored = storedIds?.has(id) ?? false;
          const canRemove = !isStored && variants.length > 2;
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
      <Button isDisabled={variants.length >= MOST} onPress={() => change(withVariant(variants))}>
        Add a variant
      </Button>
    </Panel>
  );
}

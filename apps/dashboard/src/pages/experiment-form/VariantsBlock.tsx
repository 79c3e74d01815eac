import { memo } from "react";
import { useController, useFormContext, useFormState, useWatch } from "react-hook-form";
import { Button } from "../../ui/Button.tsx";
import { Checkbox } from "../../ui/Field.tsx";
import { Panel } from "../../ui/Page.tsx";
import { FormFault } from "./BoundFields.tsx";
import { type ExperimentValues, withoutVariant, withVariant } from "./form-values.ts";
import { VariantCard } from "./VariantCard.tsx";

const MOST = 20;

interface VariantsBlockProps {
  readonly title: string;
  /** Ids of variants that users may have. They can be disabled, not removed. */
  readonly storedIds?: ReadonlySet<string>;
}

/** The variants side by side. */
export const VariantsBlock = memo(function VariantsBlock({ title, storedIds }: VariantsBlockProps) {
  const { control, setValue, getValues, clearErrors } = useFormContext<ExperimentValues>();
  // Only the ids: watching the variants would redraw all of them on every keystroke.
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
        Your application receives each variant's prompt and variables unchanged. Without either, your code can
        use the variant's name.
      </p>
      <ServerOnlyBox />
      <FormFault message={errors.isServerOnly?.message} />
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

function ServerOnlyBox() {
  const { control } = useFormContext<ExperimentValues>();
  const { field } = useController({ control, name: "isServerOnly" });
  return (
    <Checkbox isSelected={field.value} onChange={field.onChange}>
      Send prompts and variables only to servers. Clients with the publishable key, such as browsers, still
      assign users but get neither. Your servers need the secret key.
    </Checkbox>
  );
}

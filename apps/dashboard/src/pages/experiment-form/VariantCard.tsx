import { useQuery } from "@tanstack/react-query";
import { useDeferredValue } from "react";
import { useController, useFormContext, useWatch } from "react-hook-form";
import { count, dollars } from "../../format/numbers.ts";
import { Button } from "../../ui/Button.tsx";
import { Checkbox } from "../../ui/Field.tsx";
import { WordDiff } from "../../ui/WordDiff.tsx";
import { BoundArea, BoundText } from "./BoundFields.tsx";
import type { ExperimentValues, VariantValues } from "./form-values.ts";
import { answerCost, estimateTokens, priceOf, promptCost } from "./prompt-cost.ts";
import { formQueries } from "./queries.ts";
import { VariablesEditor } from "./VariablesEditor.tsx";
import { textVariable, toVariables } from "./variables.ts";

interface VariantCardProps {
  readonly index: number;
  /** A stored variant keeps its key, because users have it; it can be disabled. */
  readonly isStored: boolean;
  /** Null: it cannot be removed. */
  readonly onRemove: (() => void) | null;
}

/** One variant: name, prompt with its differences from control, variables. */
export function VariantCard({ index, isStored, onRemove }: VariantCardProps) {
  const form = useFormContext<ExperimentValues>();
  const { variant, control } = useWatch({
    control: form.control,
    compute: ({ variants, controlId }) => ({
      variant: variants[index],
      control: variants.find(({ id }) => id === controlId),
    }),
  });
  if (variant === undefined) return null;
  const isControl = variant.id === control?.id;
  const name = variant.key || `variant ${index + 1}`;
  return (
    <section className="variant-card" aria-label={`Variant ${index + 1}`}>
      <header className="row">
        <label className="variant-control">
          <input
            type="radio"
            name="control"
            checked={isControl}
            onChange={() => form.setValue("controlId", variant.id, { shouldDirty: true })}
          />
          Control<span className="visually-hidden">{`: ${name}`}</span>
        </label>
        {isControl ? <span className="muted">other variants are compared with it</span> : null}
      </header>
      <BoundText
        name={`variants.${index}.key`}
        label="Variant"
        isReadOnly={isStored}
        hint={isStored ? "Fixed: users already have this variant." : undefined}
      />
      <BoundArea name={`variants.${index}.prompt`} label={`Prompt of ${name}`} rows={7} isCode />
      <PromptFacts variant={variant} />
      {isControl || control === undefined ? null : <AgainstControl variant={variant} control={control} />}
      <VariablesEditor index={index} variant={name} />
      <BoundArea
        name={`variants.${index}.qaUsers`}
        label={`QA users of ${name}`}
        rows={2}
        hint="Ids of people who test it, one per line. They always get this variant, and no result counts them."
      />
      {isStored ? <EnabledBox index={index} /> : null}
      {onRemove === null ? null : (
        <Button look="quiet" onPress={onRemove}>
          Remove {name}
        </Button>
      )}
    </section>
  );
}

function AgainstControl({
  variant,
  control,
}: {
  readonly variant: VariantValues;
  readonly control: VariantValues;
}) {
  const [before, after] = [useDeferredValue(control.prompt), useDeferredValue(variant.prompt)];
  if (after === "") return null;
  if (before === after) return <p className="muted">The prompt is the same as control's.</p>;
  return (
    <>
      <p className="field-hint">Compared with control's prompt:</p>
      <WordDiff before={before} after={after} label={`${variant.key} vs control`} />
    </>
  );
}

function PromptFacts({ variant }: { readonly variant: VariantValues }) {
  const prices = useQuery(formQueries.prices());
  const tokens = estimateTokens(variant.prompt);
  const model = textVariable(variant.variables, "model");
  const price = model === null ? null : priceOf(model, prices.data?.items ?? []);
  const most = toVariables(variant.variables)?.max_tokens;
  if (variant.prompt === "") return null;
  return (
    <p className="field-hint">
      About {count(tokens)} tokens (characters / 4).{" "}
      {model === null
        ? "Set the variable “model” to see its cost."
        : price === null
          ? prices.data === undefined
            ? null
            : `No price is known for ${model}.`
          : `Per 1,000 calls on ${model}: prompt ${dollars(promptCost(variant.prompt, price))}${
              typeof most === "number" && most > 0
                ? `, answers up to ${dollars(answerCost(most, price))} at ${count(most)} tokens each`
                : ", plus answers"
            }.`}
    </p>
  );
}

function EnabledBox({ index }: { readonly index: number }) {
  const { control } = useFormContext<ExperimentValues>();
  const { field } = useController({ control, name: `variants.${index}.isEnabled` });
  return (
    <Checkbox isSelected={field.value} onChange={field.onChange}>
      Enabled. If disabled, its users get control behavior and keep their bucket.
    </Checkbox>
  );
}

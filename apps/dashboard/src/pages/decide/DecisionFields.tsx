import { Label, Radio, RadioGroup } from "react-aria-components";
import { useController, useFormContext } from "react-hook-form";
import type { Experiment } from "../../api/types.ts";
import { SelectField, TextArea } from "../../ui/Field.tsx";
import { type DecisionValues, NONE } from "./decision-values.ts";
import { OUTCOMES } from "./outcomes.ts";
import { type Outcome, type Recommendation, usualVariant } from "./recommendation.ts";

/** Shorter is no sentence. */
const SENTENCE = 10;

interface DecisionFieldsProps {
  readonly experiment: Experiment;
  readonly recommendation: Recommendation;
  /** The choice goes against the recommendation: the note is asked for. */
  readonly isAgainst: boolean;
}

/** Outcome, what everybody is to get, and why. */
export function DecisionFields({ experiment, recommendation, isAgainst }: DecisionFieldsProps) {
  const { control, setValue } = useFormContext<DecisionValues>();
  const outcome = useController({ control, name: "outcome" });
  const variant = useController({ control, name: "variant" });
  const note = useController({
    control,
    name: "note",
    rules: {
      validate: (text) =>
        !isAgainst || text.trim().length >= SENTENCE || "Say in a sentence why you decide otherwise.",
    },
  });
  return (
    <>
      <OutcomeChoice
        value={outcome.field.value}
        onChange={(next) => {
          outcome.field.onChange(next);
          setValue("variant", usualVariant(next, experiment, recommendation) ?? NONE);
        }}
      />
      <SelectField
        label="What everybody is to get"
        hint="Kept with the decision. Shipping it is a change in your code."
        options={variantOptions(experiment)}
        value={variant.field.value}
        onChange={variant.field.onChange}
      />
      <TextArea
        label={isAgainst ? "Why do you decide against the recommendation?" : "Note"}
        hint={isAgainst ? "One sentence that a colleague understands in a year." : "May stay empty."}
        isRequired={isAgainst}
        value={note.field.value}
        onChange={note.field.onChange}
        error={note.fieldState.error?.message}
      />
    </>
  );
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

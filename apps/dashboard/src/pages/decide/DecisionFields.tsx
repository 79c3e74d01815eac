import { Label, Radio, RadioGroup } from "react-aria-components";
import { useController, useFormContext } from "react-hook-form";
import type { Experiment } from "../../api/types.ts";
import { SelectField, TextArea } from "../../ui/Field.tsx";
import { OUTCOMES } from "./outcomes.ts";
import { type Outcome, type Recommendation, usualVariant } from "./recommendation.ts";

/** A decision as the form holds it. */
export interface DecisionValues {
  outcome: Outcome;
  variant: string;
  note: string;
  /** Percent of all users who keep control after the shipping. A draft from an earlier version of this page lacks it. */
  holdback?: string;
}

/** No variant is chosen. */
export const NONE = "";

/** Minimum length of a sentence. */
const SENTENCE = 10;

interface DecisionFieldsProps {
  readonly experiment: Experiment;
  readonly recommendation: Recommendation;
  /** The choice goes against the recommendation, so the note is required. */
  readonly isAgainst: boolean;
  /** The chosen variant may be shipped with a holdback. */
  readonly canHoldBack: boolean;
}

/** The outcome, the chosen variant, and why. */
export function DecisionFields({ experiment, recommendation, isAgainst, canHoldBack }: DecisionFieldsProps) {
  const { control, setValue } = useFormContext<DecisionValues>();
  const outcome = useController({ control, name: "outcome" });
  const variant = useController({ control, name: "variant" });
  const holdback = useController({ control, name: "holdback" });
  const note = useController({
    control,
    name: "note",
    rules: {
      validate: (text) =>
        !isAgainst ||
        text.trim().length >= SENTENCE ||
        "Explain in one sentence why you are deciding otherwise.",
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
        label="Chosen variant"
        hint="Recorded with the decision. Users get it only if you ship it."
        options={variantOptions(experiment)}
        value={variant.field.value}
        onChange={variant.field.onChange}
      />
      <TextArea
        label={isAgainst ? "Why are you going against the recommendation?" : "Note"}
        hint={isAgainst ? "One sentence that a colleague will understand in a year." : "Optional."}
        isRequired={isAgainst}
        value={note.field.value}
        onChange={note.field.onChange}
        error={note.fieldState.error?.message}
      />
      {canHoldBack ? (
        <SelectField
          label="Hold back, if you ship"
          hint={`Some of ${experiment.control}'s users keep it for up to 12 weeks, which shows week by week whether the lift lasts. Everybody else gets the shipped variant.`}
          options={HOLDBACKS}
          value={holdback.field.value ?? NONE}
          onChange={holdback.field.onChange}
        />
      ) : null}
    </>
  );
}

const HOLDBACKS = [
  { value: NONE, label: "Nobody" },
  ...["2", "3", "4", "5"].map((value) => ({ value, label: `${value}% of all users` })),
];

function variantOptions({ variants, control }: Experiment) {
  return [
    ...(variants ?? []).map(({ key }) => ({ value: key, label: key === control ? `${key} (control)` : key })),
    { value: NONE, label: "None" },
  ];
}

interface OutcomeChoiceProps {
  readonly value: Outcome;
  readonly onChange: (value: Outcome) => void;
}

function OutcomeChoice({ value, onChange }: OutcomeChoiceProps) {
  return (
    <RadioGroup
      className="choices"
      value={value}
      onChange={(next) => {
        const chosen = OUTCOMES.find((outcome) => outcome.value === next);
        if (chosen) onChange(chosen.value);
      }}
    >
      <Label>Outcome</Label>
      {OUTCOMES.map((outcome) => (
        <Radio key={outcome.value} value={outcome.value} className="choice">
          <span className="choice-dot" aria-hidden="true" />
          <span>
            <strong>{outcome.label}</strong> <span className="muted">{outcome.meaning}</span>
          </span>
        </Radio>
      ))}
    </RadioGroup>
  );
}

import { Label, Slider, SliderThumb, SliderTrack } from "react-aria-components";
import { useController, useFormContext, useFormState, useWatch } from "react-hook-form";
import { armColors } from "../../charts/arms.ts";
import { percent } from "../../format/numbers.ts";
import { Button } from "../../ui/Button.tsx";
import { Disclosure } from "../../ui/Disclosure.tsx";
import { type Option, SelectField } from "../../ui/Field.tsx";
import { Panel } from "../../ui/Page.tsx";
import { BoundNumber, BoundText, FormFault, PERCENT } from "./BoundFields.tsx";
import type { ExperimentValues, Unit } from "./form-values.ts";
import { GuardFields } from "./GuardFields.tsx";
import { equalWeights, sharesOf, sumInWords } from "./weights.ts";

/** Who takes part and who gets which variant: weights, share of traffic, and the fields that are fixed at creation. */
export function AudienceBlock({
  title,
  isStored = false,
  isStarted = false,
}: {
  readonly title: string;
  readonly isStored?: boolean;
  /** The flag key is frozen then. */
  readonly isStarted?: boolean;
}) {
  const { errors } = useFormState<ExperimentValues>();
  // A draft from an earlier version of this page lacks the flag key.
  const hasFlag = (useWatch<ExperimentValues, "flagKey">({ name: "flagKey" }) ?? "").trim() !== "";
  return (
    <Panel title={title}>
      <div className="form">
        <UnitChoice isFrozen={isStored} />
        <Weights />
        <FormFault message={errors.variants?.message} />
        <BoundText
          name="flagKey"
          label="Flag key of another system (optional)"
          isReadOnly={isStarted}
          hint="Only if a flag elsewhere (flagd, Unleash, LaunchDarkly, GrowthBook) already assigns the variants. Assay then assigns no variants. Name the variants and set the weights as the flag does, and send an exposure with the flag's variant for each user. Frozen once the experiment has started."
        />
        {hasFlag ? null : <Reach />}
        <Disclosure title={isStored ? "Frozen since creation" : "Advanced: frozen after creation"}>
          <Frozen isReadOnly={isStored} />
        </Disclosure>
      </div>
    </Panel>
  );
}

const UNITS: readonly Option<Unit>[] = [
  { value: "user", label: "Each user", detail: "Keeps the variant everywhere." },
  { value: "conversation", label: "Each conversation", detail: "A user sees several variants." },
  { value: "run", label: "Each agent run", detail: "A user sees several variants." },
];

/** What gets a variant. */
function UnitChoice({ isFrozen }: { readonly isFrozen: boolean }) {
  const { field } = useController<ExperimentValues, "unit">({ name: "unit" });
  // A form that was kept by an earlier version of this page has none.
  const unit = field.value ?? "user";
  const named =
    unit === "user"
      ? ""
      : `Every event must name the ${unit} in unit_id, in addition to the user. Choose this only if one ${unit} does not affect the same user's next one. `;
  return (
    <SelectField
      label="What gets a variant"
      options={UNITS}
      value={unit}
      onChange={field.onChange}
      isDisabled={isFrozen}
      hint={`${named}Frozen at creation.`}
    />
  );
}

function Weights() {
  const { control: form, setValue } = useFormContext<ExperimentValues>();
  const { variants, controlId } = useWatch({
    control: form,
    compute: ({ variants, controlId }) => ({
      variants: variants.map(({ id, key, weight }) => ({ id, key, weight })),
      controlId,
    }),
  });
  const weights = variants.map(({ weight }) => weight);
  const shares = sharesOf(weights);
  const control = variants.find(({ id }) => id === controlId)?.id ?? "";
  const colors = armColors(
    variants.map(({ id }) => id),
    control,
  );
  const makeEqual = () =>
    equalWeights(variants.length).forEach((weight, index) => {
      setValue(`variants.${index}.weight`, weight, { shouldDirty: true });
    });
  return (
    <fieldset className="weights">
      <legend>Weights</legend>
      <div className="weights-bar" aria-hidden="true">
        {variants.map(({ id }, index) => (
          <span key={id} style={{ width: percentWidth(shares[index]), background: colors.get(id) }} />
        ))}
      </div>
      <div className="weights-fields">
        {variants.map(({ id, key }, index) => (
          <BoundNumber
            key={id}
            name={`variants.${index}.weight`}
            label={`Weight of ${key || `variant ${index + 1}`}`}
            hint={`${percent(shares[index] ?? 0)} of the users`}
            minValue={0}
            formatOptions={{ maximumFractionDigits: 2 }}
          />
        ))}
      </div>
      <div className="row">
        <span>{sumInWords(weights)}</span>
        <Button look="quiet" onPress={makeEqual}>
          Equal weights
        </Button>
      </div>
    </fieldset>
  );
}

const percentWidth = (share: number | undefined) => `${100 * (share ?? 0)}%`;

/** How many users take part: a share, or a rollout that raises it by itself. */
function Reach() {
  const hasRollout =
    (useWatch<ExperimentValues, "rolloutStages">({ name: "rolloutStages" }) ?? "").trim() !== "";
  return (
    <>
      {hasRollout ? null : <Coverage />}
      <BoundText
        name="rolloutStages"
        label="Roll out in steps (optional)"
        placeholder="1, 5, 20, 50"
        hint="Percent of all users in treatments, stage by stage. The next stage starts automatically. With a guard, it starts only while the guard finds no harm; when it finds harm, it holds the experiment. Set the stages before the start."
      />
      {hasRollout ? (
        <BoundNumber
          name="rolloutMinutes"
          label="Minimum minutes per stage"
          minValue={1}
          maxValue={43_200}
          step={1}
        />
      ) : null}
      <GuardFields />
    </>
  );
}

function Coverage() {
  const { setValue } = useFormContext<ExperimentValues>();
  const coverage = useWatch<ExperimentValues, "coverage">({ name: "coverage" });
  return (
    <div className="coverage">
      <BoundNumber
        name="coverage"
        label="Share of traffic"
        hint="The share of all users who take part. Others get no variant. You can raise it later; users who are in stay in."
        minValue={0}
        maxValue={1}
        step={0.01}
        formatOptions={PERCENT}
      />
      <Slider
        className="slider"
        value={coverage ?? 0}
        minValue={0}
        maxValue={1}
        step={0.01}
        formatOptions={PERCENT}
        onChange={(value) =>
          setValue("coverage", Array.isArray(value) ? value[0] : value, { shouldDirty: true })
        }
      >
        <Label className="visually-hidden">Share of traffic, slider</Label>
        <SliderTrack className="slider-track">
          <SliderThumb className="slider-thumb" />
        </SliderTrack>
      </Slider>
    </div>
  );
}

function Frozen({ isReadOnly }: { readonly isReadOnly: boolean }) {
  return (
    <div className="form">
      <BoundText
        name="salt"
        label="Salt"
        isReadOnly={isReadOnly}
        hint="Part of the hash that assigns users to variants. Random by default, so that experiments split users independently. Reuse another experiment's salt only to continue with the same split."
      />
      <BoundNumber
        name="bucketCount"
        label="Buckets"
        isReadOnly={isReadOnly}
        minValue={1}
        maxValue={1_000_000}
        hint="Users hash into this many buckets, and each bucket belongs to a variant. 1,000 buckets allow steps of 0.1%; use 10,000 for finer weights."
      />
    </div>
  );
}

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type Control, Controller, useForm } from "react-hook-form";
import { api, unwrap } from "../../api/client.ts";
import { Problem } from "../../api/problem.ts";
import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { NumberField, TextField } from "../../ui/Field.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { emptyPrice, type PriceValues, toPriceRequest } from "./price-form.ts";
import { pricesQuery } from "./queries.ts";

/** Sets the org's own price of a model from a day on. */
export function PriceForm() {
  const cache = useQueryClient();
  const { control, handleSubmit, reset } = useForm<PriceValues>({
    defaultValues: emptyPrice(Date.now()),
    // A number is committed on blur; an error that disappears then would move the button under the pointer.
    reValidateMode: "onSubmit",
  });
  const put = useMutation({
    mutationFn: (values: PriceValues) => unwrap(api.PUT("/v1/prices", { body: toPriceRequest(values) })),
    onSuccess: async ({ model }) => {
      reset(emptyPrice(Date.now()));
      announce(`Your price for ${model} is saved.`);
      await cache.invalidateQueries(pricesQuery());
    },
  });
  const faults = put.error instanceof Problem ? put.error.faults : [];
  const faultOf = (name: keyof PriceValues) => faults.find(({ pointer }) => pointer === `/${name}`)?.detail;
  return (
    <form className="form" onSubmit={handleSubmit((values) => put.mutate(values))} noValidate>
      <div className="grid-2">
        <TextPart
          control={control}
          name="model"
          label="Model"
          hint="Exactly as in your events; model:tier for the calls of one service tier."
          fault={faultOf("model")}
        />
        <TextPart
          control={control}
          name="effective_from"
          label="From"
          hint="UTC day, YYYY-MM-DD. Applies to experiments created on this day or later."
          fault={faultOf("effective_from")}
        />
        {PARTS.map((part) => (
          <UsdPart key={part.name} control={control} fault={faultOf(part.name)} {...part} />
        ))}
      </div>
      {put.error && faults.length === 0 ? <ProblemNotice problem={put.error} /> : null}
      <div className="row">
        <Button type="submit" isPending={put.isPending}>
          Set the price
        </Button>
      </div>
    </form>
  );
}

type UsdName = Exclude<keyof PriceValues, "model" | "effective_from">;

const PARTS: readonly { readonly name: UsdName; readonly label: string; readonly hint?: string }[] = [
  { name: "input_usd_per_million", label: "Input, US$ per million tokens" },
  { name: "output_usd_per_million", label: "Output, US$ per million tokens" },
  {
    name: "cached_input_usd_per_million",
    label: "Cached input, US$ per million tokens",
    hint: "Optional. Empty: same as input.",
  },
  {
    name: "reasoning_usd_per_million",
    label: "Reasoning, US$ per million tokens",
    hint: "Optional. Empty: same as output.",
  },
  {
    name: "cache_write_5m_usd_per_million",
    label: "Cache write for 5 minutes, US$ per million tokens",
    hint: "Optional. Empty: same as input.",
  },
  {
    name: "cache_write_1h_usd_per_million",
    label: "Cache write for an hour, US$ per million tokens",
    hint: "Optional. Empty: same as input.",
  },
  {
    name: "audio_input_usd_per_million",
    label: "Audio input, US$ per million tokens",
    hint: "Optional. Empty: same as input.",
  },
  {
    name: "audio_output_usd_per_million",
    label: "Audio output, US$ per million tokens",
    hint: "Optional. Empty: same as output.",
  },
];

interface PartProps<Name extends keyof PriceValues> {
  readonly control: Control<PriceValues>;
  readonly name: Name;
  readonly label: string;
  readonly hint?: string;
  readonly fault: string | undefined;
}

function TextPart({ control, name, fault, ...words }: PartProps<"model" | "effective_from">) {
  return (
    <Controller
      control={control}
      name={name}
      rules={{ required: "This field is required." }}
      render={({ field: { ref: _ref, ...field }, fieldState }) => (
        <TextField {...field} {...words} error={fieldState.error?.message ?? fault} />
      )}
    />
  );
}

function UsdPart({ control, name, fault, ...words }: PartProps<UsdName>) {
  const isRequired = name === "input_usd_per_million" || name === "output_usd_per_million";
  return (
    <Controller
      control={control}
      name={name}
      rules={{
        validate: (value) => !isRequired || !Number.isNaN(value) || "This field is required. It can be 0.",
      }}
      render={({ field: { ref: _ref, ...field }, fieldState }) => (
        <NumberField
          {...field}
          {...words}
          minValue={0}
          formatOptions={{ maximumFractionDigits: 6 }}
          error={fieldState.error?.message ?? fault}
        />
      )}
    />
  );
}

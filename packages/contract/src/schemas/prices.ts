import { Type } from "typebox";
import { DayText, Line, Nullable, OneOf, strict } from "./shared.ts";

const Model = {
  ...Line(200),
  description: "The provider's name of the model; model:tier for calls of one service tier.",
};
const Day = DayText("A UTC day.");
const Usd = (description: string) => Type.Number({ minimum: 0, maximum: 1e6, description });
const SpecialUsd = (description: string) => Nullable(Usd(description));

const row = {
  model: Model,
  effective_from: Day,
  input_usd_per_million: Usd("USD per million input tokens."),
  output_usd_per_million: Usd("USD per million output tokens."),
};
const special = {
  cached_input_usd_per_million: SpecialUsd(
    "For input tokens read from the cache; null: same as other input.",
  ),
  cache_write_5m_usd_per_million: SpecialUsd(
    "For input tokens written to the cache for 5 minutes; null: same as other input.",
  ),
  cache_write_1h_usd_per_million: SpecialUsd(
    "For input tokens written to the cache for an hour; null: same as other input.",
  ),
  audio_input_usd_per_million: SpecialUsd("For audio input; null: same as other input."),
  reasoning_usd_per_million: SpecialUsd("For output tokens spent on reasoning; null: same as other output."),
  audio_output_usd_per_million: SpecialUsd("For audio output; null: same as other output."),
};

export const PriceRequest = Type.Object(
  {
    ...row,
    cached_input_usd_per_million: Type.Optional(special.cached_input_usd_per_million),
    cache_write_5m_usd_per_million: Type.Optional(special.cache_write_5m_usd_per_million),
    cache_write_1h_usd_per_million: Type.Optional(special.cache_write_1h_usd_per_million),
    audio_input_usd_per_million: Type.Optional(special.audio_input_usd_per_million),
    reasoning_usd_per_million: Type.Optional(special.reasoning_usd_per_million),
    audio_output_usd_per_million: Type.Optional(special.audio_output_usd_per_million),
  },
  { ...strict, $id: "PriceRequest" },
);

export const PriceSchema = Type.Object(
  {
    ...row,
    ...special,
    source: OneOf(["built-in", "org"], {
      description: "org: set by an admin; replaces the built-in price of the same model and day.",
    }),
  },
  { $id: "Price" },
);

export const PriceListMarkSchema = Type.Object(
  {
    as_of: Type.String({
      description: "UTC day. The list has each model's newest price of that day or earlier.",
    }),
    fingerprint: Type.String({ description: "16 hex digits that change with any price in the list." }),
  },
  { $id: "PriceListMark" },
);

export const PriceTable = Type.Object(
  {
    price_list: Type.Union([PriceListMarkSchema, Type.Null()], {
      description: "Set when as_of was given. If it equals a run's, the run used these prices.",
    }),
    items: Type.Array(PriceSchema, { description: "Sorted by model, newest first." }),
  },
  { $id: "PriceTable" },
);

export const PriceQuery = Type.Object(
  {
    model: Type.Optional(Model),
    as_of: Type.Optional({
      ...Day,
      description: "One price per model, as experiments created on this UTC day use it. Absent: every price.",
    }),
  },
  strict,
);
export const PriceKey = Type.Object({ model: Model, effective_from: Day }, strict);

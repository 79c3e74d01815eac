import { Type } from "typebox";
import { DayText, Line, Nullable, OneOf, strict } from "./shared.ts";

const Model = {
  ...Line(200),
  description: "The provider's name for the model, or model:tier for calls with one service tier.",
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
    "USD per million input tokens read from the cache. Null: same as other input.",
  ),
  cache_write_5m_usd_per_million: SpecialUsd(
    "USD per million input tokens written to the cache for 5 minutes. Null: same as other input.",
  ),
  cache_write_1h_usd_per_million: SpecialUsd(
    "USD per million input tokens written to the cache for an hour. Null: same as other input.",
  ),
  audio_input_usd_per_million: SpecialUsd("USD per million audio input tokens. Null: same as other input."),
  reasoning_usd_per_million: SpecialUsd(
    "USD per million output tokens spent on reasoning. Null: same as other output.",
  ),
  audio_output_usd_per_million: SpecialUsd(
    "USD per million audio output tokens. Null: same as other output.",
  ),
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
      description:
        "UTC day. For each model, the list has the newest price from that day or earlier. A model that got its first price later has that one.",
    }),
    fingerprint: Type.String({ description: "16 hex digits that change with any price in the list." }),
  },
  { $id: "PriceListMark" },
);

export const PriceTable = Type.Object(
  {
    price_list: Type.Union([PriceListMarkSchema, Type.Null()], {
      description: "Null without as_of. If it equals a run's price_list, the run used these prices.",
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
      description:
        "Only the price per model that experiments created on this UTC day use. Absent: all prices.",
    }),
  },
  strict,
);
export const PriceKey = Type.Object({ model: Model, effective_from: Day }, strict);

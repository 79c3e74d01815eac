import type { Wire } from "../../api/types.ts";

/** The form values; an empty number field is NaN. */
export interface PriceValues {
  readonly model: string;
  readonly effective_from: string;
  readonly input_usd_per_million: number;
  readonly output_usd_per_million: number;
  readonly cached_input_usd_per_million: number;
  readonly reasoning_usd_per_million: number;
  readonly cache_write_5m_usd_per_million: number;
  readonly cache_write_1h_usd_per_million: number;
  readonly audio_input_usd_per_million: number;
  readonly audio_output_usd_per_million: number;
}

/** Returns an empty form for a price from today on. */
export function emptyPrice(now: number): PriceValues {
  return {
    model: "",
    effective_from: new Date(now).toISOString().slice(0, 10),
    input_usd_per_million: Number.NaN,
    output_usd_per_million: Number.NaN,
    cached_input_usd_per_million: Number.NaN,
    reasoning_usd_per_million: Number.NaN,
    cache_write_5m_usd_per_million: Number.NaN,
    cache_write_1h_usd_per_million: Number.NaN,
    audio_input_usd_per_million: Number.NaN,
    audio_output_usd_per_million: Number.NaN,
  };
}

/** Builds the request body; empty prices are null, which means the same as input or output. */
export function toPriceRequest(values: PriceValues): Wire<"PriceRequest"> {
  return {
    ...values,
    model: values.model.trim(),
    cached_input_usd_per_million: orNull(values.cached_input_usd_per_million),
    reasoning_usd_per_million: orNull(values.reasoning_usd_per_million),
    cache_write_5m_usd_per_million: orNull(values.cache_write_5m_usd_per_million),
    cache_write_1h_usd_per_million: orNull(values.cache_write_1h_usd_per_million),
    audio_input_usd_per_million: orNull(values.audio_input_usd_per_million),
    audio_output_usd_per_million: orNull(values.audio_output_usd_per_million),
  };
}

const orNull = (value: number) => (Number.isNaN(value) ? null : value);

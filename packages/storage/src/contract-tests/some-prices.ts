import type { Day, ModelPrice } from "@assay/domain";

/** Numbers with exact sums in any order. */
const free = {
  effectiveFrom: "2026-01-01" as Day,
  inputUsdPerMillion: 0,
  cachedInputUsdPerMillion: null,
  outputUsdPerMillion: 0,
  reasoningUsdPerMillion: null,
  cacheWrite5mUsdPerMillion: null,
  cacheWrite1hUsdPerMillion: null,
  audioInputUsdPerMillion: null,
  audioOutputUsdPerMillion: null,
};

/** A model with every price, one of its service tier, one with the two required prices, a snapshot with its own price, and hostile names. */
export const PRICES: readonly ModelPrice[] = [
  {
    ...free,
    model: "full",
    inputUsdPerMillion: 2_000,
    cachedInputUsdPerMillion: 500,
    cacheWrite5mUsdPerMillion: 2_500,
    cacheWrite1hUsdPerMillion: 4_000,
    audioInputUsdPerMillion: 32_000,
    outputUsdPerMillion: 8_000,
    reasoningUsdPerMillion: 16_000,
    audioOutputUsdPerMillion: 64_000,
  },
  { ...free, model: "full:flex", inputUsdPerMillion: 250, outputUsdPerMillion: 500 },
  { ...free, model: "plain", inputUsdPerMillion: 1_000, outputUsdPerMillion: 4_000 },
  { ...free, model: "plain-2024-08-06", inputUsdPerMillion: 3_000, outputUsdPerMillion: 5_000 },
  { ...free, model: "it's \\ \n {model: String}", inputUsdPerMillion: 7_000 },
];

/** Names with a price, their own or their model's, and names without one. */
export const MODELS: readonly string[] = [
  ...PRICES.map(({ model }) => model),
  ...["full@20250101", "full-2025-01-01", "plain-20240806", "it's \\ \n {model: String}-20240806"],
  ...["Full", "full-2025-01", "full-2025-01-01\n", "unknown", "unknown-20240806", ""],
];

import type { detailsOf as saidDetails, metadataOf as saidMetadata } from "./said.ts";

// Browsers, where few applications call a model, have no room for what is said about calls.

export const detailsOf = null as typeof saidDetails | null;
export const metadataOf = null as typeof saidMetadata | null;

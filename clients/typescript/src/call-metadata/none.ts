import type { metadataOf as said, addedTo as saidAddedTo, placedIn as saidPlacedIn } from "./said.ts";

// Browsers, where few applications call a model, have no room for what is said about calls.

export const metadataOf: typeof said = () => (outcome) => (outcome ? { outcome } : undefined);

export const addedTo: typeof saidAddedTo = ({ usage }, scope) => (scope.user ? { ...scope, usage } : null);

/** An event names the run or the conversation that `assign` or the caller named. */
export const placedIn = null as typeof saidPlacedIn | null;

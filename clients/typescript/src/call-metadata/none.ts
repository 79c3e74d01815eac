import type { metadataOf as said, addedTo as saidAddedTo } from "./said.ts";

// Browsers, where few applications call a model, have no room for what is said about calls.

export const metadataOf: typeof said = () => (outcome) => (outcome ? { outcome } : undefined);

export const addedTo: typeof saidAddedTo = ({ usage }, scope) => (scope.user ? { ...scope, usage } : null);

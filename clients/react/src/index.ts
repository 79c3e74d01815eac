export { type Track, type TrackPayload, usePrompt, useTrack, useVariables, useVariant } from "./hooks.ts";
export { AssayProvider, type AssayProviderProps } from "./provider.ts";

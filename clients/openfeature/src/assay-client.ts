import type { Client } from "@assay/client/core";

/**
 * What a provider needs from a client. The clients of `@assay/client` and `@assay/client/core` both have it.
 */
export type AssayClient = Pick<
  Client,
  "ready" | "configSnapshot" | "findAssignment" | "getPrompt" | "getVariables" | "track" | "close"
>;

import type { Client } from "@assay/client/core";

/** What a provider needs of a client: that of `@assay/client` and that of `@assay/client/core` both have it. */
export type AssayClient = Pick<
  Client,
  "ready" | "configSnapshot" | "findAssignment" | "getPrompt" | "getVariables" | "track" | "close"
>;

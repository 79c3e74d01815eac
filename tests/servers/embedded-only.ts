import { describe, test } from "vitest";
import { runsOnServers } from "./fresh-engines.ts";

/** A test about the embedded engines themselves, their files or processes. It does not run on servers. */
export const testEmbedded = test.skipIf(runsOnServers);

/** A suite about the embedded engines themselves. */
export const describeEmbedded = describe.skipIf(runsOnServers);

import type { DemoName } from "@assay/contract";
import { answerStyle } from "./answer-style.ts";
import type { Demo } from "./demo-definition.ts";
import { supportTone } from "./support-tone.ts";

/** The bundled demos. */
export const DEMOS: Readonly<Record<DemoName, Demo>> = {
  "support-tone": supportTone,
  "answer-style": answerStyle,
};

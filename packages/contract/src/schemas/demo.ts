import { Type } from "typebox";
import { OneOf, strict } from "./shared.ts";

/** The bundled demos, by the names of their experiments. */
export const DEMO_NAMES = ["support-tone", "answer-style"] as const;
export type DemoName = (typeof DEMO_NAMES)[number];

export const DemoBody = Type.Object(
  {
    demo: Type.Optional(
      OneOf(DEMO_NAMES, {
        description:
          "support-tone: readable questions and answers, written for this project; answer-style (default): figures from recorded answers.",
      }),
    ),
  },
  strict,
);

export const DemoQuery = Type.Object(
  { demo: Type.Optional(OneOf(DEMO_NAMES, { description: "Absent: all demos." })) },
  strict,
);

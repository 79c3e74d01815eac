import { Type } from "typebox";
import { Messages } from "./rehearsals.ts";
import { Instant, Nullable, OneOf, strict } from "./shared.ts";

export const RehearsalPickQueue = Type.Object(
  {
    rubric: Type.String(),
    items: Type.Array(
      Type.Object({
        id: Type.String({ description: "Id of the pair. It does not reveal the arms." }),
        messages: Messages,
        reference: Nullable(Type.String()),
        first: Type.String({ description: "The answer to show first, without the arms' prompts." }),
        second: Type.String(),
      }),
      {
        description:
          "The next pairs without a pick, in random order: each pair of a treatment is equally likely to come first. The arms are hidden.",
      },
    ),
    picked: Type.Integer({ description: "Number of picks for the treatment with the fewest." }),
    needed: Type.Integer({
      description: "Number of picks that a treatment needs so that they correct the judge.",
    }),
    pairs: Type.Integer({ description: "Number of pairs to draw from, over all treatments." }),
  },
  { $id: "RehearsalPickQueue" },
);

const Best = Type.Union([OneOf(["first", "second"]), Type.Null()], {
  description: "The better answer, as shown. Null: both are equally good.",
});

export const RehearsalPickBody = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 64, description: "Id of the pair, from the queue." }),
    best: Best,
  },
  { ...strict, $id: "RehearsalPickRequest" },
);

export const RehearsalPickSchema = Type.Object(
  {
    id: Type.String({ description: "Id of the pair." }),
    best: Best,
    picked_at: Instant,
    picked: Type.Integer({ description: "Number of picks for the treatment with the fewest." }),
  },
  { $id: "RehearsalPick" },
);

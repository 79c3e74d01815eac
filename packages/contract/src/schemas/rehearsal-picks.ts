import { Type } from "typebox";
import { Messages } from "./rehearsals.ts";
import { Instant, Nullable, OneOf, strict } from "./shared.ts";

export const RehearsalPickQueue = Type.Object(
  {
    rubric: Type.String(),
    items: Type.Array(
      Type.Object({
        id: Type.String({ description: "Of the pair; says nothing about the arms." }),
        messages: Messages,
        reference: Nullable(Type.String()),
        first: Type.String({ description: "The answer to show first, without the arms' prompts." }),
        second: Type.String(),
      }),
      {
        description:
          "The next pairs without a pick, in an order that was drawn at random: each pair of a treatment is equally likely to come first. Arms are hidden.",
      },
    ),
    picked: Type.Integer({ description: "Number of picks, of the treatment with the fewest." }),
    needed: Type.Integer({ description: "Picks per treatment that correct the judge." }),
    pairs: Type.Integer({ description: "Pairs that are drawn from, of all treatments." }),
  },
  { $id: "RehearsalPickQueue" },
);

const Best = Type.Union([OneOf(["first", "second"]), Type.Null()], {
  description: "The better answer, as shown. Null: both are equally good.",
});

export const RehearsalPickBody = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 64, description: "The pair's, from the queue." }),
    best: Best,
  },
  { ...strict, $id: "RehearsalPickRequest" },
);

export const RehearsalPickSchema = Type.Object(
  {
    id: Type.String({ description: "The pair's." }),
    best: Best,
    picked_at: Instant,
    picked: Type.Integer({ description: "Number of picks, of the treatment with the fewest." }),
  },
  { $id: "RehearsalPick" },
);

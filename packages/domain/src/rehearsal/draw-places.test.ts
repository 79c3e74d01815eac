import { expect, test } from "vitest";
import { drawPlaces } from "./draw-places.ts";

const items = Array.from({ length: 200 }, (_, i) => ({ id: `${i}` }));
const idsOf = (rehearsal: string, of = items) => drawPlaces(rehearsal, of).map(({ id }) => id);

test("every input has a place, which depends on the rehearsal and not on the order of the dataset", () => {
  const drawn = idsOf("r");
  expect(drawn.toSorted()).toEqual(items.map(({ id }) => id).toSorted());
  expect(drawn).not.toEqual(items.map(({ id }) => id));
  expect(idsOf("r", items.toReversed())).toEqual(drawn);
  expect(idsOf("other")).not.toEqual(drawn);
  // Rehearsals that began with an earlier version go on with the same places.
  expect(drawn.slice(0, 5)).toEqual(["170", "86", "167", "89", "184"]);
});

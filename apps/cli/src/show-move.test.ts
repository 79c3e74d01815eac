import { expect, test } from "vitest";
import { showMove } from "./show-move.ts";

test("a part is shown about once a second and at its end, with its rate and what was there already", () => {
  let now = 0;
  const lines: string[] = [];
  const { onMoved, end } = showMove(
    (line) => lines.push(line),
    () => now,
  );
  for (const rows of [500, 500, 1_000]) {
    now += 500;
    onMoved("raw events", rows, false);
  }
  now += 100;
  onMoved("raw events", 400, true);
  onMoved("event ids", 7, true);
  end();
  end();
  expect(lines).toEqual([
    "raw events: 1,000 copied (1,000 per second)",
    "raw events: 2,000 copied, 400 already there (1,250 per second)",
    "event ids: 0 copied, 7 already there (0 per second)",
  ]);
});

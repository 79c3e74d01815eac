import { expect, test } from "vitest";
import { findRecording, recordingText, simulatedLabel } from "./demo-recordings.ts";
import data from "./prompt-variants.json" with { type: "json" };

const recordings = data.items.flatMap((item, index) =>
  item.map((_, variant) => findRecording(recordingText(index, variant))!),
);

test("every recorded answer is found by the text that stands for it, wherever that is", () => {
  expect(recordings.map(({ preference }) => preference)).toEqual(
    data.items.flatMap((item) => item.map(([, , preference]) => preference)),
  );
  expect(findRecording(`{"answer": "${recordingText(7, 2)}"}`)).toMatchObject({ number: 23 });
});

test.each(["", "Recorded answer 2415, of 1 characters", "Recorded answer 99999, of", "an answer"])(
  "a text without a recording gives none: %j",
  (text) => {
    expect(findRecording(text)).toBeNull();
  },
);

test("the text names no variant", () => {
  for (const variant of data.variants) expect(recordingText(3, 1)).not.toContain(variant);
});

test("readers agree with the judge about most answers, and like the longer ones less than it does", () => {
  const labels = recordings.map(simulatedLabel);
  const agreeing = recordings.filter(({ preference }, i) => preference >= 0.5 === (labels[i] === 1));
  expect(agreeing.length / recordings.length).toBeGreaterThan(0.9);
  const excess = (variant: number) =>
    recordings.reduce(
      (sum, { preference }, i) => (i % 3 === variant ? sum + preference - labels[i]! : sum),
      0,
    );
  expect(excess(2) - excess(1)).toBeGreaterThan(5);
});

import { expect, test } from "vitest";
import type { ScopeCalls } from "../ports/waiting-traces.ts";
import { describeCalls } from "./describe-calls.ts";

const row = (change: Partial<ScopeCalls>): ScopeCalls => ({
  ...{ scope: "x 1.0", isStream: false, hasUsage: true, outcome: "event", calls: 1 },
  ...change,
});

test("each instrumentation is described with what it lacks", () => {
  const described = describeCalls([
    row({ calls: 12 }),
    row({ isStream: true, calls: 62 }),
    row({ isStream: true, hasUsage: false, calls: 38 }),
    row({ hasUsage: false, outcome: "waiting", calls: 1 }),
    row({ outcome: "no-evaluation", calls: 3 }),
    row({ outcome: "no-user", calls: 4 }),
    row({ outcome: "several-users", calls: 5 }),
    row({ outcome: "no-unit", calls: 6 }),
    row({ outcome: "unfinished", calls: 7 }),
    row({ outcome: "refused", calls: 8 }),
    row({ outcome: "outer-call", calls: 1_000 }),
    row({ scope: "y", calls: 2 }),
  ]);
  expect(described).toEqual([
    {
      ...{ scope: "x 1.0", calls: 146, streams: 100, waiting: 1, events: 112, withoutExperiment: 3 },
      ...{ withoutUser: 4, withSeveralUsers: 5, withoutUnit: 6, unfinished: 7, refused: 8 },
      ...{ withoutUsage: 39, streamsWithoutUsage: 38 },
      advice: [
        expect.stringMatching(/^38% of the streamed calls .*include_usage/),
        expect.stringMatching(/^1% of the calls carry no usage/),
        expect.stringMatching(/^2% .*hook/),
        expect.stringMatching(/^3% .*user\.id/),
        expect.stringMatching(/^3% .*several users/),
        expect.stringMatching(/^4% .*conversation/),
        expect.stringMatching(/^5% .*end each generation/),
        expect.stringMatching(/^5% .*refused.*variant/),
      ],
    },
    expect.objectContaining({ scope: "y", calls: 2, events: 2, advice: [] }),
  ]);
});

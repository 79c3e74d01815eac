import type { Day, Plan } from "@assay/domain";
import { expect, test } from "vitest";
import { splitByAllowance } from "./judge-allowance.ts";
import type { Question } from "./load-questions.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z");
const questionOf = (orgId: string, eventId: string): Question => ({
  task: {
    ...{ orgId, experimentId: "e", metric: "m", metricVersion: 1, eventId, isRepeat: false, claim: "c" },
    ...{
      judgeVersion: "j",
      userId: "u",
      unitId: null,
      occurredAt: 0,
      day: "2026-11-20" as Day,
      hasFailed: false,
      attempts: 0,
      drawnAt: 0,
    },
  },
  judge: { rubric: "Is it right?", scale: "pass_fail", sampleRate: 1 },
  judged: { input: null, answer: "Yes." },
  price: null,
});
const questions = ["a", "b", "c"].map((id) => questionOf("org", id));

interface Standing {
  readonly plan?: Plan;
  readonly isEnforced?: boolean;
  readonly used?: number;
  readonly inFlight?: number;
}

async function ask({ plan = "pro", isEnforced = true, used = 0, inFlight = 0 }: Standing) {
  const { paid, waiting } = await splitByAllowance(questions, () => inFlight, {
    plans: {
      isEnforced,
      inForce: () => plan,
      analysisLimits: () => Promise.reject(new Error("Nobody asks.")),
      seats: () => Promise.reject(new Error("Nobody asks.")),
      forget: () => undefined,
    },
    clock: { now: () => NOW },
    control: {
      usage: {
        get: async () => ({ events: 0, judgeEvaluations: used }),
        putEvents: async () => undefined,
        addEvaluations: async () => undefined,
      },
    },
  });
  return { paid: paid.map(({ task }) => task.eventId), waiting };
}

test.each<readonly [string, Standing, readonly string[]]>([
  ["all of them while there is room", {}, ["a", "b", "c"]],
  ["as many as are left", { used: 49_998 }, ["a", "b"]],
  ["none that those under way will use up", { used: 49_990, inFlight: 8 }, ["a", "b"]],
  ["none when the month is used up", { used: 50_000 }, []],
  ["none on a plan without a judge", { plan: "free", used: 10 }, []],
  ["all of them without a bound", { plan: "enterprise", used: 1e9 }, ["a", "b", "c"]],
  ["all of them where plans are not enforced", { plan: "free", isEnforced: false }, ["a", "b", "c"]],
])("the plan pays for %s", async (_name, standing, paid) => {
  expect((await ask(standing)).paid).toEqual(paid);
});

test("the others wait for an hour, unattempted, with the reason", async () => {
  const { waiting } = await ask({ used: 50_000 });
  expect(waiting.map(({ task }) => task.eventId)).toEqual(["a", "b", "c"]);
  expect(waiting[0]?.outcome).toMatchObject({
    kind: "postponed",
    detail: expect.stringContaining("50,000 judge evaluations"),
    notBefore: NOW + 3_600_000,
    isAttempt: false,
  });
});

import { ExperimentConfigBody, fromWire, toConfigInput } from "@assay/contract";
import { addDays, dayOf, endOfDay, firstVersion, startOfDay } from "@assay/domain";
import { demoIdOf } from "../demo/demo.ts";
import { DEMO_DAYS, demoDays } from "../demo/demo-traffic.ts";
import { DEMOS } from "../demo/demos.ts";
import type { TestService } from "./test-service.ts";

/**
 * Puts a demo without events into an org, with all its nights, unless it is there. Loading it then answers at once: a whole one takes
 * ten seconds of CPU, and `demo.test.ts` loads those.
 */
export async function placeDemo(api: TestService, orgId: string): Promise<void> {
  const demo = DEMOS["answer-style"];
  const id = demoIdOf(demo, orgId);
  const control = api.openControl();
  try {
    if ((await control.experiments.findOrgId(id)) !== null) return;
    const firstDay = addDays(dayOf(Date.now()), -DEMO_DAYS);
    const content = firstVersion(toConfigInput(fromWire(ExperimentConfigBody, demo.experiment)));
    const at = startOfDay(firstDay);
    await control.experiments.create({ ...content, id, orgId, version: 1, at, by: "nobody", isDemo: true });
    for (const day of demoDays(firstDay)) {
      const now = endOfDay(day);
      const run = { experimentId: id, day, now };
      await control.pipelineRuns.claim({ ...run, orgId, windowTo: now, leaseUntil: now });
      await control.pipelineRuns.finish({ ...run, startedAt: now, outcome: "collecting", detail: null });
    }
  } finally {
    await control.close();
  }
}

import { org as operations } from "@assay/contract";
import { addDays, DomainError, dayOf, type Experiment, invalidBody, parseDay } from "@assay/domain";
import { definePlatformRoute } from "../../http/define-route.ts";
import { runNightly } from "../../pipeline/run-nightly.ts";

/** Runs the pipeline for a day. A day that is not over is analysed up to now; its nightly run still follows. */
export const postPipelineRun = definePlatformRoute(operations.postPipelineRun, async ({ body }, deps) => {
  const today = dayOf(deps.clock.now());
  const day = body.day === undefined ? addDays(today, -1) : parseDay(body.day);
  if (day === null) throw invalidBody([{ pointer: "/day", detail: "is not a day of the calendar." }]);
  if (day > today)
    throw invalidBody([{ pointer: "/day", detail: `lies in the future: today is ${today} in UTC.` }]);
  const { experimentId } = body;
  const takes = ({ id }: Experiment) => experimentId === undefined || id === experimentId;
  const runs = await runNightly(day, deps, { takes });
  if (experimentId !== undefined && runs.length === 0) {
    throw new DomainError("experiment-not-found", "No running or recently stopped experiment has this id.");
  }
  return { day, runs };
});

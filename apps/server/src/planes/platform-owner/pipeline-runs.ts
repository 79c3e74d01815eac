import { org as operations } from "@assay/contract";
import { addDays, DAY_MS, DomainError, dayOf, type Experiment, invalidBody, startOfDay } from "@assay/domain";
import { definePlatformRoute } from "../../http/define-route.ts";
import { readDay } from "../../http/validate.ts";
import { runNights } from "../../pipeline/run-nightly.ts";

/** As many as one request has time for. */
const MOST_DAYS = 31;

/** Runs the pipeline for one or more days. A day that is not over is analyzed up to now; its nightly run still follows. */
export const postPipelineRun = definePlatformRoute(operations.postPipelineRun, async ({ body }, deps) => {
  const today = dayOf(deps.clock.now());
  const day = body.day === undefined ? addDays(today, -1) : readDay("/day", body.day);
  if (day > today) throw fault("/day", `is in the future: today is ${today} in UTC.`);
  const from = body.fromDay === undefined ? day : readDay("/from_day", body.fromDay);
  const count = (startOfDay(day) - startOfDay(from)) / DAY_MS + 1;
  if (count < 1 || count > MOST_DAYS)
    throw fault("/from_day", `is not one of the ${MOST_DAYS} days up to ${day}.`);
  const { experimentId } = body;
  const takes = ({ id }: Experiment) => experimentId === undefined || id === experimentId;
  const days = Array.from({ length: count }, (_, index) => addDays(from, index));
  const runs = await runNights(days, deps, { takes });
  if (experimentId !== undefined && runs.length === 0) {
    throw new DomainError("experiment-not-found", "No running or recently stopped experiment has this id.");
  }
  return { day, runs };
});

const fault = (pointer: string, detail: string) => invalidBody([{ pointer, detail }]);

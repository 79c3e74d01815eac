import { readFile } from "node:fs/promises";
import type { ConfigPlan, PlanRequest } from "@assay/contract";
import { EXPERIMENT_UNITS, type ExperimentUnit } from "@assay/domain";
import type { Static } from "typebox";
import { type Api, serviceApi } from "../api.ts";
import { CommandError } from "../command-error.ts";
import { findExperiment } from "../find-experiment.ts";
import { readOptions } from "../options.ts";
import { printPlan } from "../print-plan.ts";

type Plan = Static<typeof ConfigPlan>;
type Request = Static<typeof PlanRequest>;

/** The subject of the plan: a stored experiment, or one described in a file. */
interface Planned {
  readonly name: string;
  readonly unit: ExperimentUnit;
  readonly plan: Plan;
}

const NUMBERS = ["users-per-day", "days", "target-effect", "power", "alpha"] as const;

/** Prints how many users and days an experiment needs, and what smaller units would gain. */
export async function plan(args: readonly string[]): Promise<void> {
  const { options, flags, positionals } = readOptions(
    args,
    [...NUMBERS, "metrics", "baselines", "file"],
    ["json"],
    1,
  );
  const [reference] = positionals;
  if ((reference === undefined) === (options.file === undefined))
    throw new CommandError(
      "Name the experiment, or a file with its configuration: npm run assay -- plan EXPERIMENT, or plan --file experiment.json",
    );
  const request = requestOf(options);
  const api = await serviceApi();
  const planned = await (reference === undefined
    ? planFile(api, options.file!, request)
    : planStored(api, reference, request));
  if (flags.json) console.log(JSON.stringify(planned.plan, null, 2));
  else printPlan(planned.name, planned.plan, planned.unit);
}

async function planStored(api: Api, reference: string, request: Request): Promise<Planned> {
  const { id, name, unit = "user" } = await findExperiment(api, reference);
  return { name, unit, plan: await api.call<Plan>("POST", `/v1/experiments/${id}/plan`, request) };
}

/** Plans the experiment that this request body would create. Nothing is stored. */
async function planFile(api: Api, path: string, request: Request): Promise<Planned> {
  const experiment = await readJson(path);
  const plan = await api.call<Plan>("POST", "/v1/plan", { experiment, plan: request });
  const unit = EXPERIMENT_UNITS.find((one) => one === experiment.unit) ?? "user";
  return { name: String(experiment.name), unit, plan };
}

async function readJson(path: string): Promise<Readonly<Record<string, unknown>>> {
  const text = await readFile(path, "utf8").catch((error: Error) => {
    throw new CommandError(`Cannot read ${path}: ${error.message}.`);
  });
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw new CommandError(`${path} is not JSON. The file must contain the body of POST /v1/experiments.`);
  }
}

type Options = Partial<Record<(typeof NUMBERS)[number] | "metrics" | "baselines", string>>;

/** Builds the request. The service validates it. */
function requestOf(options: Options): Request {
  const numbers = NUMBERS.flatMap((name) => {
    const text = options[name];
    return text === undefined ? [] : [[name.replaceAll("-", "_"), numberOf(`--${name}`, text)] as const];
  });
  const { metrics, baselines } = options;
  return {
    ...Object.fromEntries(numbers),
    ...(metrics !== undefined && { metrics: metrics.split(",") }),
    ...(baselines !== undefined && { baselines: Object.fromEntries(baselines.split(",").map(baselineOf)) }),
  };
}

/** Parses a metric's baseline: NAME=VALUE, or NAME=VALUE:SD. */
function baselineOf(text: string): [string, { value: number; sd?: number }] {
  const [name = "", found] = text.split("=");
  const [value, sd, ...more] = found?.split(":") ?? [];
  if (name === "" || value === undefined || more.length > 0)
    throw new CommandError(
      "--baselines must be NAME=VALUE or NAME=VALUE:SD, with commas between, such as bought=0.1,spent=10:4.",
    );
  const number = (part: string) => numberOf(`The baseline of ${name}`, part);
  return [name, { value: number(value), ...(sd !== undefined && { sd: number(sd) }) }];
}

function numberOf(what: string, text: string): number {
  const number = text.trim() === "" ? Number.NaN : Number(text);
  if (!Number.isFinite(number)) throw new CommandError(`${what} must be a number, not "${text}".`);
  return number;
}

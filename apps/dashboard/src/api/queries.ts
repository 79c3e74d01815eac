import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { api, unwrap, type WithArrays } from "./client.ts";
import { Problem } from "./problem.ts";
import type { Experiment, MetricDefinition, Wire } from "./types.ts";

/** Queries of the API with their cache keys. Changes invalidate by prefix: `["experiment", id]` covers one experiment. */
export const queries = {
  whoami: () => queryOptions({ queryKey: ["whoami"], queryFn: () => unwrap(api.GET("/v1/whoami")) }),
  /** Archived experiments are listed only on their own. */
  overview: (status?: "archived") =>
    queryOptions({
      queryKey: status === undefined ? ["overview"] : ["overview", status],
      queryFn: () =>
        unwrap(api.GET("/v1/overview", { params: { query: status === undefined ? {} : { status } } })),
    }),
  experiment: (id: string) =>
    queryOptions({
      queryKey: ["experiment", id],
      queryFn: () => unwrap(api.GET("/v1/experiments/{id}", at(id))),
    }),
  experimentOverview: (id: string) =>
    queryOptions({
      queryKey: ["experiment", id, "overview"],
      queryFn: () => unwrap(api.GET("/v1/experiments/{id}/overview", at(id))),
    }),
  /** Null: no run has been computed yet. Default label: the latest run. Default revision: the newest. */
  results: (id: string, label: string | null, revision: string | null = null) =>
    queryOptions({
      queryKey: ["experiment", id, "results", label, revision],
      queryFn: () => {
        const query = {
          ...(label === null ? {} : { day: label }),
          ...(revision === null ? {} : { revision: Number(revision) }),
        };
        return unwrap(api.GET("/v1/experiments/{id}/results", { params: { path: { id }, query } })).catch(
          nullWhen("results-not-ready"),
        );
      },
    }),
  resultsHistory: (id: string) =>
    queryOptions({
      queryKey: ["experiment", id, "history"],
      queryFn: () => unwrap(api.GET("/v1/experiments/{id}/results/history", at(id))),
    }),
  nightlyRuns: (id: string) =>
    queryOptions({
      queryKey: ["experiment", id, "runs"],
      queryFn: () => unwrap(api.GET("/v1/experiments/{id}/runs", at(id))),
    }),
  health: (id: string) =>
    queryOptions({
      queryKey: ["experiment", id, "health"],
      queryFn: () => unwrap(api.GET("/v1/experiments/{id}/health", at(id))),
    }),
  /** Null: the experiment was never replayed. */
  replay: (id: string) =>
    queryOptions({
      queryKey: ["experiment", id, "replay"],
      queryFn: () =>
        unwrap(api.GET("/v1/experiments/{id}/replay", at(id))).catch(nullWhen("replay-not-found")),
    }),
  exclusions: (id: string) =>
    queryOptions({
      queryKey: ["experiment", id, "exclusions"],
      queryFn: () => unwrap(api.GET("/v1/experiments/{id}/exclusions", at(id))),
    }),
  guard: (id: string) =>
    queryOptions({
      queryKey: ["experiment", id, "guard"],
      queryFn: () => unwrap(api.GET("/v1/experiments/{id}/guard", at(id))),
    }),
  holdback: (id: string) =>
    queryOptions({
      queryKey: ["experiment", id, "holdback"],
      queryFn: () => unwrap(api.GET("/v1/experiments/{id}/holdback", at(id))),
    }),
  live: (id: string) =>
    queryOptions({
      queryKey: ["experiment", id, "live"],
      queryFn: () => unwrap(api.GET("/v1/experiments/{id}/live", at(id))),
    }),
  traffic: (id: string) =>
    queryOptions({
      queryKey: ["experiment", id, "traffic"],
      queryFn: () => unwrap(api.GET("/v1/experiments/{id}/traffic", at(id))),
    }),
  versions: (id: string) =>
    queryOptions({
      queryKey: ["experiment", id, "versions"],
      queryFn: () => unwrap(api.GET("/v1/experiments/{id}/versions", at(id))),
    }),
  keys: () => queryOptions({ queryKey: ["keys"], queryFn: () => unwrap(api.GET("/v1/keys")) }),
  telemetry: () => queryOptions({ queryKey: ["telemetry"], queryFn: () => unwrap(api.GET("/v1/telemetry")) }),
  metrics: () => queryOptions({ queryKey: ["metrics"], queryFn: () => unwrap(api.GET("/v1/metrics")) }),
  metric: (name: string) =>
    queryOptions({
      queryKey: ["metrics", name],
      queryFn: () => unwrap(api.GET("/v1/metrics/{name}", { params: { path: { name } } })),
    }),
  judges: () => queryOptions({ queryKey: ["judges"], queryFn: () => unwrap(api.GET("/v1/judges")) }),
  usage: () => queryOptions({ queryKey: ["usage"], queryFn: () => unwrap(api.GET("/v1/usage")) }),
  billing: () =>
    queryOptions({ queryKey: ["billing"], queryFn: () => unwrap(api.GET("/v1/billing/summary")) }),
};

function at(id: string) {
  return { params: { path: { id } } };
}

/** Turns a problem of this kind into null, because it is an expected outcome. */
export function nullWhen(kind: string): (error: unknown) => null {
  return (error) => {
    if (error instanceof Problem && error.kind === kind) return null;
    throw error;
  };
}

/** Saves a change as the experiment's next version, unless somebody saved one meanwhile. */
export function putExperiment(
  { id, version }: Pick<Experiment, "id" | "version">,
  body: WithArrays<Wire<"ExperimentChange">>,
) {
  const headers = { "If-Match": `"${version}"` };
  return unwrap(api.PUT("/v1/experiments/{id}", { params: { path: { id } }, headers, body }));
}

/** Saves a shared metric for every experiment that uses it. */
export function putMetric(body: WithArrays<MetricDefinition>) {
  return unwrap(api.PUT("/v1/metrics/{name}", { params: { path: { name: body.name } }, body }));
}

/** Refreshes everything that shows an experiment. */
export async function refreshExperiment(cache: QueryClient, id: string): Promise<void> {
  await Promise.all([
    cache.invalidateQueries({ queryKey: ["experiment", id] }),
    cache.invalidateQueries({ queryKey: ["overview"] }),
  ]);
}

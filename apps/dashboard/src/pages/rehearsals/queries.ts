import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";
import type { Wire } from "../../api/types.ts";

export type RehearsalSummary = Wire<"RehearsalSummary">;
export type Rehearsal = Wire<"Rehearsal">;
export type RehearsalRow = Wire<"RehearsalReport">["rows"][number];
export type ArmVerdict = Wire<"RehearsalReport">["verdicts"][number];
export type RehearsalPair = Wire<"RehearsalPair">;
export type Forecast = Wire<"RehearsalForecast">;
export type Ledger = Wire<"RehearsalLedger">;
export type PickQueue = Wire<"RehearsalPickQueue">;
export type Dataset = Wire<"Dataset">;

/** A running rehearsal changes by the second. */
const REFRESH_MS = 2_000;
const PAIRS = 5;

const isRunning = ({ state }: Pick<Rehearsal, "state">) => state === "running";

/** The org's newest rehearsals. */
export const rehearsalsQuery = () =>
  queryOptions({
    queryKey: ["rehearsals"],
    queryFn: () => unwrap(api.GET("/v1/rehearsals", { params: { query: { limit: 50 } } })),
    refetchInterval: ({ state }) => (state.data?.items.some(isRunning) ? REFRESH_MS : false),
  });

/** One with its progress and report. */
export const rehearsalQuery = (id: string) =>
  queryOptions({
    queryKey: ["rehearsals", id],
    queryFn: () => unwrap(api.GET("/v1/rehearsals/{id}", { params: { path: { id } } })),
    refetchInterval: ({ state }) => (state.data && isRunning(state.data) ? REFRESH_MS : false),
  });

/** The rehearsal's inputs with the answers, in the order in which they are processed. */
export const pairsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ["rehearsals", id, "pairs"],
    queryFn: ({ pageParam }) => {
      const query = { limit: PAIRS, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return unwrap(api.GET("/v1/rehearsals/{id}/pairs", { params: { path: { id }, query } }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

/** The org's datasets, newest first. */
export const datasetsQuery = () =>
  queryOptions({
    queryKey: ["datasets"],
    queryFn: () => unwrap(api.GET("/v1/datasets", { params: { query: { limit: 100 } } })),
  });

/** The next pairs for people's picks. They change only on request: a pair stays until the next ones are requested. */
export const pickQueueQuery = (id: string) =>
  queryOptions({
    queryKey: ["rehearsal-picks", id],
    queryFn: () => unwrap(api.GET("/v1/rehearsals/{id}/picks/queue", { params: { path: { id } } })),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Stores which answer of a pair a person found better; null: neither. */
export const storePick = (id: string, body: Wire<"RehearsalPickRequest">) =>
  unwrap(api.POST("/v1/rehearsals/{id}/picks", { params: { path: { id } }, body }));

/** The forecast of an experiment. It changes daily with the org's traffic and ledger. */
export const forecastQuery = (id: string) =>
  queryOptions({
    queryKey: ["rehearsals", id, "forecast"],
    queryFn: () => unwrap(api.GET("/v1/rehearsals/{id}/forecast", { params: { path: { id } } })),
    refetchOnWindowFocus: false,
  });

/** The experiments that come from rehearsals, with what both found. */
export const ledgerQuery = () =>
  queryOptions({
    queryKey: ["rehearsal-ledger"],
    queryFn: () => unwrap(api.GET("/v1/rehearsal-ledger")),
  });

/** Drafts an experiment with arms of a rehearsal. */
export const startExperiment = (id: string, body: { name: string; treatments: string[] }) =>
  unwrap(api.POST("/v1/rehearsals/{id}/experiments", { params: { path: { id } }, body }));

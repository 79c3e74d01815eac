import { normalCdf, normalQuantile } from "@assay/stats";
import type { Draw } from "../random/draw.ts";
import type { Place } from "./design.ts";
import type { Population } from "./population.ts";

/** The latencies of a user's calls, in milliseconds. */
export type Calls = readonly number[];

/** A user's sum over calls and number of calls. */
export interface RatioUser {
  readonly y: number;
  readonly d: number;
}

const TYPICAL_MS = 800;
/** Standard deviations of the log latency between users and between the calls of one user. */
const USER_SD = 0.4;
const CALL_SD = 0.5;

/**
 * Draws users of very different activity: 1 + ⌊lognormal(0.8, 0.9)⌋ calls, each user with an individual latency level.
 * The treatment's latencies are `lift` longer, the second period's `drift` longer.
 */
export function callingUsers(lift = 0, drift = 0): Population<Calls> {
  const name = drift === 0 ? "latency, heavy users" : `latency, ${100 * drift} % slower later`;
  const user = (draw: Draw, { arm, period }: Place) => {
    const level = TYPICAL_MS * Math.exp(USER_SD * draw.normal()) * (1 + lift * arm) * (1 + drift * period);
    return drawCalls(draw, level);
  };
  return { name, user };
}

/** Computes the mean latency per call of `callingUsers` in control. */
export function meanLatency(): number {
  return TYPICAL_MS * Math.exp((USER_SD ** 2 + CALL_SD ** 2) / 2);
}

/** Computes the mean number of calls of `callingUsers`. */
export function meanCalls(): number {
  return callCountMoment(1);
}

/** Computes the quantile of the calls' latencies of `callingUsers` in control. */
export function latencyQuantile(quantile: number): number {
  return TYPICAL_MS * Math.exp(normalQuantile(quantile) * Math.hypot(USER_SD, CALL_SD));
}

/**
 * Computes the variance of the mean latency per call of `callingUsers` in control, times the number of users. By the delta
 * method, it is the variance of Σ latency − mean · calls, divided by the squared mean number of calls.
 */
export function latencyVariance(): number {
  const mean = meanLatency();
  const between = mean ** 2 * Math.expm1(USER_SD ** 2);
  const within = (mean ** 2 + between) * Math.expm1(CALL_SD ** 2);
  const [calls, squares] = [callCountMoment(1), callCountMoment(2)];
  return (squares * between + calls * within) / calls ** 2;
}

/** Draws users' errors (y) among their calls (d): each user has an individual error rate, 2% on average. */
export function failingUsers(): Population<RatioUser> {
  const user = (draw: Draw) => {
    const rate = 0.02 * Math.exp(draw.normal() - 0.5);
    const calls = Array.from({ length: drawCallCount(draw) }, () => Number(draw.chance(rate)));
    return { y: sum(calls), d: calls.length };
  };
  return { name: "error rate, heavy users", user };
}

/** A user's sum and number of calls, and the same figures from before the experiment. */
export interface ReturningUser extends RatioUser {
  readonly x: number;
  readonly xd: number;
}

/**
 * Draws users with the habits of `callingUsers`, before and after they enter the experiment. A user's latency level
 * stays the same.
 */
export function returningUsers(): Population<ReturningUser> {
  const user = (draw: Draw) => {
    const level = TYPICAL_MS * Math.exp(USER_SD * draw.normal());
    const [before, after] = [drawCalls(draw, level), drawCalls(draw, level)];
    return { y: sum(after), d: after.length, x: sum(before), xd: before.length };
  };
  return { name: "latency, heavy users", user };
}

/** Reduces the latencies of `callingUsers` to sum and count. */
export function latencySums({ name, user }: Population<Calls>): Population<RatioUser> {
  return {
    name,
    user: (draw, place) => {
      const calls = user(draw, place);
      return { y: sum(calls), d: calls.length };
    },
  };
}

function drawCalls(draw: Draw, level: number): Calls {
  return Array.from({ length: drawCallCount(draw) }, () => level * Math.exp(CALL_SD * draw.normal()));
}

/** The lognormal distribution of a user's number of calls. */
const ACTIVITY = { mean: 0.8, sd: 0.9 };
/** Fewer than one user in 10¹² makes more calls. */
const MOST_CALLS = 2_000;

function drawCallCount({ normal }: Draw): number {
  return 1 + Math.floor(Math.exp(ACTIVITY.mean + ACTIVITY.sd * normal()));
}

function callCountMoment(power: number): number {
  const below = (calls: number) => normalCdf((Math.log(calls) - ACTIVITY.mean) / ACTIVITY.sd);
  return sum(Array.from({ length: MOST_CALLS }, (_, k) => (k + 1) ** power * (below(k + 1) - below(k))));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

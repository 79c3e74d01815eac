import { murmur3 } from "@assay/bucketing";
import type { ExperimentUnit } from "../experiment/unit.ts";
import { isRecord } from "../json.ts";

/** How a judge scores an answer: 1 for a pass and 0 for a fail, whole points from 1 to 5, or any number from 0 to 1. */
export const JUDGE_SCALES = ["pass_fail", "1-5", "0-1"] as const;
export type JudgeScale = (typeof JUDGE_SCALES)[number];

export const DEFAULT_JUDGE_SCALE: JudgeScale = "pass_fail";
export const DEFAULT_SAMPLE_RATE = 0.1;
export const MAX_RUBRIC_LENGTH = 10_000;

/** What a judge looks for, and in which share of answers. */
export interface Judge {
  readonly rubric: string;
  readonly scale: JudgeScale;
  /** Share of the judgeable calls to judge, above 0 up to 1; the plan's allowance may permit fewer. */
  readonly sampleRate: number;
}

export interface ScaleRange {
  readonly min: number;
  readonly max: number;
  /** Null: every number in the range. */
  readonly levels: readonly number[] | null;
}

/** A judge and a person disagree if their scores differ by more. This matters on the scale 0-1; other scales' scores are further apart. */
export const DISAGREEMENT = 0.25;

/** The scores of each scale; a failed model call gets the smallest. */
export const SCALE_RANGES: Readonly<Record<JudgeScale, ScaleRange>> = {
  pass_fail: { min: 0, max: 1, levels: [0, 1] },
  "1-5": { min: 1, max: 5, levels: [1, 2, 3, 4, 5] },
  "0-1": { min: 0, max: 1, levels: null },
};

/** Returns whether a number is a score of the scale. */
export function isScoreOf(scale: JudgeScale, score: number): boolean {
  const { min, max, levels } = SCALE_RANGES[scale];
  return levels === null ? score >= min && score <= max : levels.includes(score);
}

/** Reads a stored judge. One from before scales and rates were stored gets the defaults. Null if there is no rubric. */
export function toJudge(stored: unknown): Judge | null {
  if (!isRecord(stored) || typeof stored.rubric !== "string" || stored.rubric.trim() === "") return null;
  const { rubric, scale, sampleRate } = stored;
  return {
    rubric,
    scale: JUDGE_SCALES.find((known) => known === scale) ?? DEFAULT_JUDGE_SCALE,
    sampleRate: typeof sampleRate === "number" ? sampleRate : DEFAULT_SAMPLE_RATE,
  };
}

/** Raise it whenever the text around the rubric or the request's parameters change: scores are comparable only within one protocol. */
export const JUDGE_PROTOCOL = 1;

/**
 * Identifies everything that determines a score: the model, and 16 hex digits over rubric, scale and protocol. A different version
 * is a different measurement, and therefore a new version of the metric.
 */
export function judgeVersion(model: string, { rubric, scale }: Judge, unit: ExperimentUnit): string {
  return versionOf(model, [JUDGE_PROTOCOL, model, rubric, scale, ...(unit === "user" ? [] : [unit])]);
}

/** Makes the version of a judge from everything that determines what it says. */
export function versionOf(model: string, parts: readonly unknown[]): string {
  const text = JSON.stringify(parts);
  return `${model}@${[0, 1].map((seed) => murmur3(text, seed).toString(16).padStart(8, "0")).join("")}`;
}

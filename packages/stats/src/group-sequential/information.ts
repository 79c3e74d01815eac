import { detectableStandardErrors, type PowerTarget } from "../planning/power.ts";

/**
 * Computes the information (1 / standard error²) that a test with one look needs to find the target (≠ 0): an effect, or
 * margin + expected difference for "not worse".
 */
export function maximumInformation(plan: PowerTarget & { target: number }): number {
  return (detectableStandardErrors(plan) / plan.target) ** 2;
}

/** Computes which share of the maximum information (> 0) an estimate with this standard error (> 0) has, at most 1. */
export function informationFraction(standardError: number, maximum: number): number {
  return Math.min(1, 1 / (standardError * standardError * maximum));
}

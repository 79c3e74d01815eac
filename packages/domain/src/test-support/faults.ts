import { DomainError, type FieldFault } from "../problem.ts";

/** Returns the faults for which `work` is refused; empty if it succeeds. */
export function faultsOf(work: () => unknown): readonly FieldFault[] {
  try {
    work();
  } catch (error) {
    if (error instanceof DomainError) return error.faults;
    throw error;
  }
  return [];
}

export const faultPointers = (work: () => unknown): readonly string[] =>
  faultsOf(work).map(({ pointer }) => pointer);

export const faultTexts = (work: () => unknown): readonly string[] =>
  faultsOf(work).map(({ pointer, detail }) => `${pointer} ${detail}`);

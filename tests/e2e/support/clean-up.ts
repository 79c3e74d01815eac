type Step = () => Promise<unknown> | unknown;

const steps: Step[] = [];

/** Registers what undoes the thing just made. */
export function onCleanUp(step: Step): void {
  steps.push(step);
}

/** Undoes everything that this test file has made so far, newest first; goes on over failures and throws the first. */
export async function cleanUp(): Promise<void> {
  const failures: unknown[] = [];
  for (let step = steps.pop(); step; step = steps.pop()) {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

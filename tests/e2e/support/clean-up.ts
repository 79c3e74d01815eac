type Step = () => Promise<unknown> | unknown;

const steps: Step[] = [];

/** Registers a clean-up step. */
export function onCleanUp(step: Step): void {
  steps.push(step);
}

/** Runs all clean-up steps of this test file, newest first. Continues after failures and throws the first. */
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

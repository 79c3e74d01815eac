type Step = () => Promise<void> | void;

const steps: Step[] = [];

/** Registers a step to run when the bench ends, for whatever reason. */
export function onCleanup(step: Step): void {
  steps.push(step);
}

/** Runs the registered steps, newest first. A step that fails is reported; the other steps still run. */
export async function cleanUp(): Promise<void> {
  for (let step = steps.pop(); step; step = steps.pop()) {
    try {
      await step();
    } catch (error) {
      console.error(error);
    }
  }
}

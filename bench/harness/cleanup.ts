type Step = () => Promise<void> | void;

const steps: Step[] = [];

/** Notes what must be undone when the bench ends, however it ends. */
export function onCleanup(step: Step): void {
  steps.push(step);
}

/** Undoes everything noted so far, newest first. A step that fails is reported and does not keep the others from running. */
export async function cleanUp(): Promise<void> {
  for (let step = steps.pop(); step; step = steps.pop()) {
    try {
      await step();
    } catch (error) {
      console.error(error);
    }
  }
}

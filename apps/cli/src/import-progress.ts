import { progress } from "@clack/prompts";
import type { ImportSource } from "./import-source.ts";

const STEPS = 100;
const MIB = 1024 ** 2;

/** Shows how much of a file has been sent. */
export interface ImportProgress {
  add(bytes: number): void;
  end(): void;
}

/** Draws a progress bar on a terminal; elsewhere prints one line. */
export function showProgress({ path, size }: ImportSource): ImportProgress {
  const title = `Sending ${path} (${(size / MIB).toFixed(1)} MiB)`;
  if (!process.stdout.isTTY) {
    console.log(`${title} …`);
    return { add() {}, end() {} };
  }
  const bar = progress({ max: STEPS, size: 30, indicator: "timer" });
  // The bar handles Ctrl+C itself and exits with 0, as if the whole file had been sent.
  const interrupted = () => {
    process.exitCode = 130;
  };
  process.once("exit", interrupted);
  let sent = 0;
  let steps = 0;
  bar.start(title);
  return {
    add(bytes) {
      sent += bytes;
      const due = Math.floor((STEPS * sent) / size) - steps;
      if (due === 0) return;
      steps += due;
      bar.advance(due, `${title}: ${steps}%`);
    },
    end() {
      process.removeListener("exit", interrupted);
      bar.stop(title);
    },
  };
}

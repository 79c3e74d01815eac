import { DomainError } from "@assay/domain";

const RETRY_SECONDS = 30;

/** Lets a few imports run at a time. A few more wait for their turn with their bodies unread. */
export interface ImportSlots {
  /** Waits for a turn and resolves to the function that ends it. Throws `rate-limited` when the line is full, or the signal's reason. */
  take(signal: AbortSignal): Promise<() => void>;
}

/** Makes `count` slots, with a line of at most `maxWaiting`. `what` names what runs in them. */
export function createImportSlots(count: number, maxWaiting: number, what = "imports"): ImportSlots {
  let free = count;
  const line: (() => void)[] = [];

  function giveBack(): void {
    const turn = line.shift();
    if (turn) turn();
    else free += 1;
  }

  function waitInLine(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        line.splice(line.indexOf(turn), 1);
        reject(signal.reason);
      };
      const turn = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      line.push(turn);
      signal.addEventListener("abort", leave, { once: true });
    });
  }

  return {
    async take(signal) {
      signal.throwIfAborted();
      if (free > 0) free -= 1;
      else if (line.length < maxWaiting) await waitInLine(signal);
      else throw crowded(count, what);
      return giveBack;
    },
  };
}

function crowded(count: number, what: string): DomainError {
  return new DomainError(
    "rate-limited",
    `${count} ${what} are running and others are waiting: try again in ${RETRY_SECONDS} s.`,
    {
      retryAfterSeconds: RETRY_SECONDS,
      limit: { policy: `${what}-at-a-time`, quota: count, windowSeconds: RETRY_SECONDS },
    },
  );
}

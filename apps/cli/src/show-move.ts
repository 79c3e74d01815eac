const EVERY_MS = 1_000;

interface Part {
  readonly startedAt: number;
  copied: number;
  there: number;
  shownAt: number;
}

/** Prints the progress of a move, about once a second and at the end of each part. */
export function showMove(write: (line: string) => void = console.log, now = () => performance.now()) {
  let current: readonly [name: string, part: Part] | null = null;
  let endedAt = now();
  const show = (name: string, { copied, there, startedAt }: Part) => {
    const perSecond = (copied / Math.max(1, now() - startedAt)) * 1000;
    const before = there === 0 ? "" : `, ${count(there)} already there`;
    write(`${name}: ${count(copied)} copied${before} (${count(Math.round(perSecond))} per second)`);
  };
  const end = () => {
    if (current !== null) show(...current);
    current = null;
    endedAt = now();
  };
  return {
    onMoved(name: string, rows: number, isThere: boolean): void {
      if (current?.[0] !== name) {
        if (current !== null) end();
        current = [name, { startedAt: endedAt, copied: 0, there: 0, shownAt: endedAt }];
      }
      const [, part] = current;
      if (isThere) part.there += rows;
      else part.copied += rows;
      if (now() - part.shownAt < EVERY_MS) return;
      part.shownAt = now();
      show(name, part);
    },
    end,
  };
}

const count = (n: number) => n.toLocaleString("en");

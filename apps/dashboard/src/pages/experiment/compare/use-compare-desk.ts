import { useState } from "react";
import { announce } from "../../../ui/announce.ts";
import { type ListedKeys, useListedKeys } from "../../../ui/listed-keys.ts";
import { pairOf, shuffled } from "./compare-search.ts";
import { type Comparison, storePick } from "./queries.ts";
import { type Places, usePickKeys, usePlaces } from "./use-places.ts";

/** What the reader does with the comparisons. */
export interface CompareDesk extends Places {
  /** Answers are shown as differences from the control's. */
  readonly isDiff: boolean;
  readonly toggleDiff: () => void;
  /** Variants and figures are hidden until an answer is picked. */
  readonly isBlind: boolean;
  readonly toggleBlind: () => void;
  /** The picks of this visit: the best variant, or null for none, by `pairOf` their answers. */
  readonly picked: ReadonlyMap<string, string | null>;
  /** Picks the answer at `index` of the shuffled answers as the best. Null when they are all equal. */
  readonly pick: (place: number, index: number | null) => void;
  /** Why the last pick was not stored. */
  readonly problem: Error | null;
}

const KEYS: ListedKeys = {
  title: "In comparisons",
  rows: [
    ["J", "Next question"],
    ["K", "Previous question"],
    ["D", "Show differences from control, or whole answers"],
    ["B", "Pick blind, or show variants and figures"],
    ["1 to 9", "While picking blind: this answer is best"],
    ["0", "While picking blind: all the same"],
  ],
};

/** Where the reader is, and the keys: J and K move, D shows differences, B hides the variants, digits pick. */
export function useCompareDesk(id: string, items: readonly Comparison[], onPicked: () => void): CompareDesk {
  const { current, goTo } = usePlaces(items.length);
  const [isDiff, setDiff] = useState(false);
  const [isBlind, setBlind] = useState(false);
  const [picked, setPicked] = useState<ReadonlyMap<string, string | null>>(new Map());
  const [problem, setProblem] = useState<Error | null>(null);

  const toggleBlind = () => {
    setBlind(!isBlind);
    if (isBlind) {
      setPicked(new Map());
      onPicked();
    }
  };
  const pick = async (place: number, index: number | null) => {
    const comparison = items[place];
    if (!isBlind || comparison === undefined || picked.has(pairOf(comparison))) return;
    const answers = shuffled(comparison.answers);
    const best = index === null ? null : answers[index];
    if (best === undefined) return;
    try {
      const ids = comparison.answers.map((answer) => answer.event_id);
      await storePick(id, ids, best?.event_id ?? null);
      setPicked((before) => new Map(before).set(pairOf(comparison), best?.variant ?? null));
      setProblem(null);
      announce(best === null ? "Saved: all the same." : `Saved: ${best.variant} is best.`);
      goTo(place + 1);
    } catch (error) {
      setProblem(error as Error);
    }
  };
  useListedKeys(KEYS);
  usePickKeys(
    { current, goTo },
    (place, index) => void pick(place, index),
    (key) => {
      if (key === "d" && !isBlind) setDiff(!isDiff);
      else if (key === "b") toggleBlind();
    },
  );
  return {
    ...{ current, goTo, isDiff, isBlind, toggleBlind, picked, problem },
    toggleDiff: () => setDiff(!isDiff),
    pick: (place, index) => void pick(place, index),
  };
}

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { announce } from "../../ui/announce.ts";
import { type ListedKeys, useListedKeys } from "../../ui/listed-keys.ts";
import { type Places, usePickKeys, usePlaces } from "../experiment/compare/use-places.ts";
import { type PickQueue, rehearsalQuery, storePick } from "./queries.ts";

/** What a person picks of the pairs of a queue. */
export interface PickDesk extends Places {
  /** The picks of this visit by pair: 0 or 1 for the better answer, null for none. */
  readonly picked: ReadonlyMap<string, number | null>;
  readonly pick: (place: number, index: number | null) => void;
  /** Picks of everybody, for the treatment with the fewest. */
  readonly total: number;
  /** Why the last pick was not stored. */
  readonly problem: Error | null;
}

const KEYS: ListedKeys = {
  title: "While picking blind",
  rows: [
    ["J", "Next pair"],
    ["K", "Previous pair"],
    ["1, 2", "This answer is best"],
    ["0", "All the same"],
  ],
};

const ANSWERS = ["first", "second"] as const;

/** Where the person is, and the keys: J and K move, digits pick. */
export function usePickDesk(id: string, { items, picked: before }: PickQueue): PickDesk {
  const cache = useQueryClient();
  const { current, goTo } = usePlaces(items.length);
  const [picked, setPicked] = useState<PickDesk["picked"]>(new Map());
  const [total, setTotal] = useState(before);
  const [problem, setProblem] = useState<Error | null>(null);

  const pick = async (place: number, index: number | null) => {
    const pair = items[place];
    const best = index === null ? null : ANSWERS[index];
    if (pair === undefined || best === undefined) return;
    try {
      const stored = await storePick(id, { id: pair.id, best });
      setPicked((others) => new Map(others).set(pair.id, index));
      setTotal(stored.picked);
      void cache.invalidateQueries({ queryKey: rehearsalQuery(id).queryKey });
      setProblem(null);
      announce(index === null ? "Saved: all the same." : `Saved: answer ${index + 1} is best.`);
      goTo(place + 1);
    } catch (error) {
      setProblem(error as Error);
    }
  };
  useListedKeys(KEYS);
  usePickKeys({ current, goTo }, (place, index) => void pick(place, index));
  return {
    ...{ current, goTo, picked, total, problem },
    pick: (place, index) => void pick(place, index),
  };
}

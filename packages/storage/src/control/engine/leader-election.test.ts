import { expect, test } from "vitest";
import { type Leadership, runForLeader } from "./leader-election.ts";

test("a process that gets the leadership while it stops gives it back and begins no work", async () => {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<Leadership>();
  const log: string[] = [];
  const standing = runForLeader(
    async () => void log.push("begins"),
    () => {
      asked.resolve();
      return answer.promise;
    },
  );
  await asked.promise;
  const stopped = standing.stop();
  answer.resolve({
    lost: new Promise(() => {}),
    resign: async () => void log.push("resigns"),
  });
  await stopped;
  expect(log).toEqual(["resigns"]);
});

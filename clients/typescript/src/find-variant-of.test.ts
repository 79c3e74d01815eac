import { afterEach, beforeEach, expect, test } from "vitest";
import type { ScriptedServer } from "../../scenario-server/scripted-server.ts";
import { makeClient, startService } from "../test-support/client-fixture.ts";
import { readVectors } from "../test-support/read-vectors.ts";

interface QaCase {
  readonly name: string;
  readonly overrides: Readonly<Record<string, string>>;
  readonly experiment: string;
  readonly user_id: string;
  readonly variant: string | null;
}
const { config, cases } = readVectors<{ config: unknown; cases: readonly QaCase[] }>("qa-users");

let server: ScriptedServer;
beforeEach(async () => {
  server = await startService();
});
afterEach(() => server.stop());

test.each(cases)("qa-users.json: $name", async ({ overrides, experiment, user_id, variant }) => {
  server.script("/v1/config", "hang");
  const { client } = makeClient(server, { overrides, bootstrap: config });
  expect(client.assign(experiment, user_id)).toBe(variant);
  const prompt = (variant ?? "").slice(0, 1).toUpperCase();
  expect(client.getPrompt(experiment, user_id, "")).toMatchObject({ variant, prompt });
  await client.flush();
  expect(server.batches.flat().map((row) => [row.user_id, row.variant])).toEqual(
    variant === null ? [] : [[user_id, variant]],
  );
});

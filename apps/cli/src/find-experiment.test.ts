import { expect, test } from "vitest";
import type { Api } from "./api.ts";
import { findExperiment } from "./find-experiment.ts";

const lists: Readonly<Record<string, unknown>> = {
  // The newest is first, as the service lists them.
  "/v1/experiments": [
    { id: "id-2", name: "id-1" },
    { id: "id-1", name: "greeting" },
  ],
  "/v1/experiments?status=archived": [{ id: "id-0", name: "old greeting" }],
};
const api = { call: async (_method: string, path: string) => lists[path] } as unknown as Api;

test.each([
  { reference: "greeting", id: "id-1" },
  { reference: "id-1", id: "id-1" },
  { reference: "old greeting", id: "id-0" },
  { reference: "id-0", id: "id-0" },
])("$reference is $id", async ({ reference, id }) => {
  expect(await findExperiment(api, reference)).toMatchObject({ id });
});

test("an unknown one is answered with those that exist", async () => {
  await expect(findExperiment(api, "ghost")).rejects.toThrow("Existing experiments: id-1, greeting.");
});

import { randomUUID } from "node:crypto";
import { DAY_MS, toInstant } from "@assay/domain";
import type { WireExperiment } from "./experiments.ts";
import type { TestService } from "./test-service.ts";

interface Org {
  readonly api: TestService;
  readonly experiment: WireExperiment;
}

/** Uploads a dataset to the org, and returns its path. */
async function newDataset(api: TestService): Promise<string> {
  const options = { body: { input: "Why?" } };
  const { body } = await api.call<{ id: string }>("POST", "/v1/datasets/upload?name=questions", options);
  return `/v1/datasets/${body.id}`;
}

/** One dataset for all that only read it: each upload starts a thread. */
const read = new WeakMap<TestService, Promise<string>>();
function someDataset(api: TestService): Promise<string> {
  const made = read.get(api) ?? newDataset(api);
  read.set(api, made);
  return made;
}

/** Valid requests of the routes of datasets. */
export const datasetRequests = {
  "POST /v1/datasets": ({ experiment: { id } }: Org) => {
    const window = { from: toInstant(Date.now() - DAY_MS), until: toInstant(Date.now() + DAY_MS) };
    const body = { name: "drawn", from_experiment: { experiment_id: id, ...window, items: 5 } };
    return { path: "/v1/datasets", body };
  },
  "POST /v1/datasets/upload": () => ({
    path: `/v1/datasets/upload?name=${randomUUID()}`,
    body: { input: "Why?" },
  }),
  "GET /v1/datasets/{id}": async ({ api }: Org) => ({ path: await someDataset(api) }),
  "GET /v1/datasets/{id}/items": async ({ api }: Org) => ({ path: `${await someDataset(api)}/items` }),
  "DELETE /v1/datasets/{id}": async ({ api }: Org) => ({ path: await newDataset(api) }),
  "PUT /v1/masking-rules": () => ({ path: "/v1/masking-rules", body: { built_in: ["email"], own: [] } }),
};

import { randomUUID } from "node:crypto";
import type { TestService } from "./test-service.ts";

/** An address at which nothing listens. Private: the service must allow it. */
const TARGET = "http://127.0.0.1:9/hook";

interface Org {
  readonly api: TestService;
}

/** Makes a channel of the owner's org, after removing the others: an org has few. */
async function newChannel(api: TestService): Promise<string> {
  const path = "/v1/alert-channels";
  const { body } = await api.call<{ items: readonly { id: string }[] }>("GET", path);
  for (const { id } of body.items) await api.call("DELETE", `${path}/${id}`);
  const channel = { name: randomUUID(), kind: "webhook", url: TARGET };
  return `${path}/${(await api.call<{ id: string }>("POST", path, { body: channel })).body.id}`;
}

/** Valid requests of the routes of alert channels. */
export const alertRequests = {
  "POST /v1/alert-channels": () => ({
    path: "/v1/alert-channels",
    body: { name: "on call", kind: "webhook", url: TARGET },
  }),
  "PUT /v1/alert-channels/{id}": async ({ api }: Org) => ({
    path: await newChannel(api),
    body: { name: randomUUID() },
  }),
  "DELETE /v1/alert-channels/{id}": async ({ api }: Org) => ({ path: await newChannel(api) }),
  "POST /v1/alert-channels/{id}/secret": async ({ api }: Org) => ({
    path: `${await newChannel(api)}/secret`,
  }),
  "POST /v1/alert-channels/{id}/test": async ({ api }: Org) => ({ path: `${await newChannel(api)}/test` }),
  "GET /v1/alert-channels/{id}/deliveries": async ({ api }: Org) => ({
    path: `${await newChannel(api)}/deliveries`,
  }),
  "POST /v1/alert-channels/{id}/deliveries/{delivery_id}/replay": async ({ api }: Org) => {
    const channel = await newChannel(api);
    const { body } = await api.call<{ id: string }>("POST", `${channel}/test`);
    return { path: `${channel}/deliveries/${body.id}/replay` };
  },
};

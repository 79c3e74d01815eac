import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { controlEngines } from "../../test-support/control-engines.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

const ROUNDS = 8;

describe.each(controlEngines("races of member changes"))("on $engine, at once", ({ open }) => {
  let api: TestService;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const engine = await open();
    drop = engine.drop;
    api = await openTestService({ databaseUrl: engine.databaseUrl, enforcePlanLimits: true });
  });
  afterAll(async () => {
    await api.stop();
    await drop();
  });

  const newOrg = () => `org-${randomUUID().slice(0, 8)}`;
  async function joinOwner(org: string, name: string) {
    const token = await api.token({ email: `${name}@${org}.org`, role: "owner", org });
    const { body } = await api.call<{ user_id: string }>("GET", "/v1/whoami", { token });
    return { token, id: body.user_id };
  }

  test.each(["DELETE", "PUT"])("owners who %s one another leave one owner", async (method) => {
    for (let round = 0; round < ROUNDS; round++) {
      const org = newOrg();
      const owners = await Promise.all(["a", "b", "c", "d"].map((name) => joinOwner(org, name)));
      const answers = await Promise.all(
        owners.map(({ token }, index) =>
          api.call(method, `/v1/members/${owners[(index + 1) % owners.length]?.id}`, {
            token,
            ...(method === "PUT" ? { body: { role: "member" } } : {}),
          }),
        ),
      );
      expect(answers.filter(({ status }) => ![200, 204, 401, 403, 409].includes(status))).toEqual([]);
      const roles = await Promise.all(
        owners.map(async ({ token }) => {
          const { status, body } = await api.call<{ role: string }>("GET", "/v1/whoami", { token });
          return status === 200 ? body.role : null;
        }),
      );
      expect(roles).toContain("owner");
    }
  });

  test("invitations are never more than there are seats", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const org = newOrg();
      const { token } = await joinOwner(org, "boss");
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          api.call("POST", "/v1/invitations", { token, body: { email: `p${index}@${org}.org` } }),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 409, 409, 409, 409]);
    }
  });

  test("invitations of one person leave one that can be used", async () => {
    const org = newOrg();
    const { token } = await joinOwner(org, "boss");
    const body = { email: `ann@${org}.org` };
    await Promise.all(Array.from({ length: 6 }, () => api.call("POST", "/v1/invitations", { token, body })));
    const pending = await api.call<{ items: unknown[] }>("GET", "/v1/invitations", { token });
    expect(pending.body.items).toHaveLength(1);
  });
});

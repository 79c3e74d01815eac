import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { experimentBody } from "../../apps/server/src/test-support/experiments.ts";
import {
  startIdentityProvider,
  type TestIdentityProvider,
} from "../../apps/server/src/test-support/identity-provider.ts";
import { openTestService, type TestService } from "../../apps/server/src/test-support/test-service.ts";
import { cleanUp } from "./support/clean-up.ts";
import { expectOneLine } from "./support/expect-one-line.ts";
import { type Environment, runCli } from "./support/program.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const OWNER = "owner@example.org";

let provider: TestIdentityProvider;
let api: TestService;

beforeAll(async () => {
  provider = await startIdentityProvider();
  api = await openTestService({ identity: provider.settings, platformOwnerEmails: [OWNER] });
});
afterAll(async () => {
  await api.stop();
  await provider.stop();
  await cleanUp();
});

/** The environment of a machine that has the token and nothing else: neither the data folder nor a way to sign in. */
function machine(token: string): Environment {
  const { issuer, audience, jwksUrl } = provider.settings;
  return {
    ASSAY_DATA_DIR: temporaryFolder(),
    ASSAY_PORT: new URL(api.service.url).port,
    ASSAY_IDENTITY: "oidc",
    ASSAY_IDENTITY_ISSUER: issuer,
    ASSAY_IDENTITY_AUDIENCE: audience,
    ASSAY_IDENTITY_JWKS_URL: jwksUrl,
    ASSAY_TOKEN: token,
  };
}

test("analyze, replay, types and nightly run with a service token where a provider signs the sessions", async () => {
  const session = provider.token({ org_role: "owner", email: OWNER, email_verified: true });
  const experiment = experimentBody("greeting");
  expect((await api.call("POST", "/v1/experiments", { token: session, body: experiment })).status).toBe(201);
  const make = async (body: object) =>
    (
      await api.call<{ id: string; token: string }>("POST", "/v1/service-tokens", {
        token: session,
        body: { name: "ci", role: "member", expires_in_days: 1, ...body },
      })
    ).body;
  const [plain, nights] = [await make({}), await make({ runs_nights: true })];

  const analyzed = await runCli(["analyze", "greeting"], machine(plain.token));
  expect(analyzed.stderr).toBe("");
  expect(analyzed.code).toBe(0);
  expect(await runCli(["replay", "greeting"], machine(plain.token))).toMatchObject({ code: 0, stderr: "" });
  const written = await runCli(["types"], machine(plain.token));
  expect(written).toMatchObject({ code: 0, stderr: "" });
  expect(written.stdout).toMatch(/^\/\/ Written by assay types\..*\n {4}"greeting": \{ variant: "/s);
  const file = join(temporaryFolder(), "names.py");
  expect(await runCli(["types", "--out", file], machine(plain.token))).toMatchObject({ code: 0, stdout: "" });
  expect(readFileSync(file, "utf8")).toMatch(/^# Written by assay types\..*\nGreetingVariant = Literal\[/s);
  expectOneLine(
    await runCli(["types", "--language", "go"], machine(plain.token)),
    /typescript, python, java/,
  );
  expectOneLine(await runCli(["nightly"], machine(plain.token)), /platform owner/);
  expect(await runCli(["nightly"], machine(nights.token))).toMatchObject({ code: 0 });

  await api.call("DELETE", `/v1/service-tokens/${plain.id}`, { token: session });
  expectOneLine(await runCli(["analyze", "greeting"], machine(plain.token)), /revoked/);
});

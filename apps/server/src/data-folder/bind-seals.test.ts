import { createCipheriv, randomBytes, randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ControlPlane, changeOrder, keyBinding, webhookBinding } from "@assay/domain";
import { openSqliteControlPlane } from "@assay/storage";
import { afterEach, beforeEach, expect, test } from "vitest";
import { bindSeals } from "./bind-seals.ts";
import { createSealer } from "./seal.ts";

const DAY_MS = 86_400_000;
const masterKey = randomBytes(32);
const sealer = createSealer(masterKey);

/** Seals as the previous version did. */
function sealUnbound(plain: string, key = masterKey): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  const text = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
  return ["v1", ...[nonce, cipher.getAuthTag(), text].map((part) => part.toString("base64url"))].join(".");
}

let root: string;
let control: ControlPlane;
let orgId: string;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "assay-seals-"));
  control = openSqliteControlPlane({ file: join(root, "control.sqlite"), newId: randomUUID });
  await control.migrate();
  const member = { externalUserId: "u", externalOrgId: "o", role: "owner", isRemoved: false } as const;
  await control.people.putMembership({ ...member, order: changeOrder(1, "token") }, 1);
  orgId = (await control.orgs.list())[0]?.id ?? "";
});
afterEach(async () => {
  await control.close();
  rmSync(root, { recursive: true, force: true });
});

test("what the previous version sealed is bound a day after the upgrade, and what the key does not open stays", async () => {
  const foreign = sealUnbound("svc_pk_x", randomBytes(32));
  await control.keys.rotate({
    orgId,
    scope: "secret",
    hash: "s",
    sealed: sealUnbound("svc_sk_x"),
    createdAt: 1,
  });
  await control.keys.rotate({ orgId, scope: "publishable", hash: "p", sealed: foreign, createdAt: 1 });
  await control.webhookSecrets.rotate({ orgId, sealed: sealUnbound("whsec_x"), createdAt: 1 });
  const sealed = async () => ({
    secret: (await control.keys.find(orgId, "secret"))?.sealed ?? "",
    publishable: (await control.keys.find(orgId, "publishable"))?.sealed ?? "",
    webhook: (await control.webhookSecrets.find(orgId))?.sealed ?? "",
  });
  const before = await sealed();
  const startAt = (now: number) => bindSeals({ control, sealer, clock: { now: () => now } });
  await startAt(0);
  await startAt(DAY_MS - 1);
  expect(await sealed()).toEqual(before);
  await startAt(DAY_MS);
  const after = await sealed();
  expect(after.publishable).toBe(foreign);
  expect(after.secret).toMatch(/^v2\./);
  expect(sealer.open(after.secret, keyBinding(orgId, "secret"))).toBe("svc_sk_x");
  expect(sealer.open(after.secret, keyBinding(orgId, "publishable"))).toBeNull();
  expect(sealer.open(after.webhook, webhookBinding(orgId))).toBe("whsec_x");
  await startAt(2 * DAY_MS);
  expect(await sealed()).toEqual(after);
});

import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { curlCommand, signWebhook } from "./sign-webhook.ts";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const delivery = { secret: SECRET, id: "order-1", timestamp: "1700000000", body: '{"user_id":"ann’s"}' };

describe("signWebhook", () => {
  test("agrees with HMAC-SHA256 over id.timestamp.body by the secret's bytes", async () => {
    const mac = createHmac("sha256", Buffer.alloc(32, 7))
      .update(`order-1.1700000000.${delivery.body}`)
      .digest("base64");
    expect(await signWebhook(delivery)).toEqual({ kind: "signed", signature: `v1,${mac}` });
  });

  test("bears white space around a pasted secret", async () => {
    expect(await signWebhook({ ...delivery, secret: ` ${SECRET}\n` })).toEqual(await signWebhook(delivery));
  });

  test.each(["", "whsec_", "whsec_***", `whsec_${btoa("short")}`, SECRET.slice("whsec_".length)])(
    "takes %j for no secret",
    async (secret) => expect(await signWebhook({ ...delivery, secret })).toEqual({ kind: "not-a-secret" }),
  );
});

test("the command survives quotes in the body", () => {
  const command = curlCommand({ ...delivery, body: `{"user_id":"o'neil"}` }, "v1,abc=", "https://assay.test");
  expect(command).toBe(
    [
      "curl -i -X POST 'https://assay.test/v1/business-events' \\",
      "  -H 'Content-Type: application/json' \\",
      "  -H 'webhook-id: order-1' \\",
      "  -H 'webhook-timestamp: 1700000000' \\",
      "  -H 'webhook-signature: v1,abc=' \\",
      `  --data-binary '{"user_id":"o'\\''neil"}'`,
    ].join("\n"),
  );
});

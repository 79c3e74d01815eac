import { type AlertMessage, DAY_MS } from "@assay/domain";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type AlertReceiver, startAlertReceiver, verified } from "../../test-support/alert-receiver.ts";
import { slugOf, type WireProblem } from "../../test-support/experiments.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

interface Channel {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly url: string | null;
  readonly addresses: readonly string[] | null;
  readonly types: readonly string[] | null;
  readonly on: boolean;
  readonly failing_since: string | null;
  readonly previous_secret_until: string | null;
  readonly secret?: string | null;
}
interface Delivery {
  readonly id: string;
  readonly status: string;
  readonly attempts: number;
  readonly next_at: string | null;
  readonly code: number | null;
  readonly answer: string | null;
  readonly message: { readonly type: string; readonly timestamp: string; readonly data: object };
}
interface Mail {
  readonly to: readonly string[];
  readonly text: string;
}

const mails: Mail[] = [];
let api: TestService;
let receiver: AlertReceiver;
let smtp: SMTPServer;
let later = 0;

beforeAll(async () => {
  receiver = await startAlertReceiver();
  smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onRcptTo: ({ address }, _session, done) =>
      done(
        address.startsWith("unknown")
          ? Object.assign(new Error("No such person"), { responseCode: 550 })
          : null,
      ),
    onData(stream, session, done) {
      let text = "";
      stream.setEncoding("utf8");
      stream.on("data", (part: string) => {
        text += part;
      });
      stream.on("end", () => {
        mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), text });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => smtp.listen(0, "127.0.0.1", resolve));
  const { port } = smtp.server.address() as { port: number };
  api = await openTestService(
    {
      alerts: {
        allowsPrivate: true,
        smtp: { url: `smtp://127.0.0.1:${port}`, from: "Assay <assay@example.org>" },
      },
      publicUrl: "https://assay.example.org",
    },
    { now: () => Date.now() + later },
  );
});
afterAll(async () => {
  await api.stop();
  await receiver.close();
  await new Promise<void>((resolve) => smtp.close(resolve));
});
beforeEach(async () => {
  // An org may start ten messages a minute.
  later += 5 * 60_000;
  for (const { id } of await list()) await api.call("DELETE", `${PATH}/${id}`);
});

const PATH = "/v1/alert-channels";
const list = async () => (await api.call<{ items: readonly Channel[] }>("GET", PATH)).body.items;
const make = async (path: string, change: object = {}) => {
  const body = { name: "on call", kind: "webhook", url: receiver.url + path, ...change };
  return api.call<Channel & WireProblem>("POST", PATH, { body });
};
const deliveriesOf = async ({ id }: Channel, query = "") =>
  (
    await api.call<{ items: readonly Delivery[]; next_cursor: string | null }>(
      "GET",
      `${PATH}/${id}/deliveries${query}`,
    )
  ).body;
const send = ({ id }: Channel) => api.call<Delivery>("POST", `${PATH}/${id}/test`);
let facts = 0;
async function raise(
  message: Pick<AlertMessage, "type" | "data">,
  key = `fact ${++facts}`,
): Promise<boolean> {
  const { org_id: orgId } = (await api.call<{ org_id: string }>("GET", "/v1/whoami")).body;
  const control = api.openControl();
  const alert = { ...message, orgId, key, at: Date.now() + later };
  const isNew = await control.alerts.raise(alert as never);
  await control.close();
  return isNew;
}
const UNUSUAL = { type: "key.unusual", data: { day: "2026-03-01", events: 5_000, limit: 1_000 } } as never;

describe("a webhook", () => {
  test("is made with a secret that no later answer shows, and its address is shortened", async () => {
    const made = await make("/made?token=abcdefghijkl");
    expect(made.status).toBe(201);
    expect(made.headers.get("cache-control")).toBe("no-store");
    const { secret, ...channel } = made.body;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(channel).toMatchObject({
      ...{ kind: "webhook", url: `${receiver.url}/…ijkl`, addresses: null, types: null, on: true },
      ...{ failing_since: null, previous_secret_until: null },
    });
    const { body } = await api.call<object>("GET", PATH);
    expect(body).toEqual({ items: [channel], email_configured: true });
    expect(JSON.stringify(body) + api.logged()).not.toMatch(/abcdefghijkl|whsec_/);
  });

  test("gets each alert once, signed, within seconds, and the log shows it", async () => {
    const { body: channel } = await make("/signed");
    expect(await raise(UNUSUAL, "once")).toBe(true);
    expect(await raise(UNUSUAL, "once")).toBe(false);
    await expect.poll(async () => (await deliveriesOf(channel)).items[0]?.status).toBe("delivered");
    const [delivery] = (await deliveriesOf(channel)).items;
    const [received, ...more] = receiver.at("/signed");
    expect(more).toEqual([]);
    expect(received!.headers["webhook-id"]).toBe(delivery!.id);
    expect(received!.headers["user-agent"]).toMatch(/^Assay\//);
    // The service's clock is ahead of that of the library here.
    expect(JSON.parse(received!.text)).toEqual(delivery!.message);
    expect(delivery!.message).toMatchObject({
      type: "key.unusual",
      data: { day: "2026-03-01", limit: 1_000 },
    });
    later = 0;
    await send(channel);
    expect(verified(receiver.at("/signed")[1]!, channel.secret!)).toMatchObject({ type: "test" });
  });

  test("gets only the types that it takes, and nothing while it is off", async () => {
    const { body: channel } = await make("/some", { types: ["judge.down"] });
    expect(await raise(UNUSUAL)).toBe(false);
    const put = (body: object) => api.call<Channel>("PUT", `${PATH}/${channel.id}`, { body });
    expect((await put({ types: null })).body.types).toBeNull();
    receiver.answer("/some", (response) => response.writeHead(500).end());
    expect(await raise(UNUSUAL)).toBe(true);
    await expect.poll(async () => (await deliveriesOf(channel)).items[0]?.code).toBe(500);
    expect((await deliveriesOf(channel)).items[0]).toMatchObject({ status: "waiting", attempts: 1 });
    expect((await put({ on: false })).body.on).toBe(false);
    const [dropped] = (await deliveriesOf(channel)).items;
    expect(dropped).toMatchObject({
      status: "failed",
      next_at: null,
      answer: "The channel was switched off.",
    });
    expect(await raise(UNUSUAL)).toBe(false);
    const replay = `${PATH}/${channel.id}/deliveries/${dropped!.id}/replay`;
    expect(slugOf((await api.call<WireProblem>("POST", replay)).body)).toBe("alert-channel-off");
    await put({ on: true });
    receiver.answer("/some", (response) => response.writeHead(200).end());
    const replayed = await api.call<Delivery>("POST", replay);
    expect([replayed.status, replayed.body.status, replayed.body.id]).toEqual([202, "waiting", dropped!.id]);
    await expect.poll(async () => (await deliveriesOf(channel)).items[0]?.status).toBe("delivered");
    const ids = receiver.at("/some").map(({ headers }) => headers["webhook-id"]);
    expect(new Set(ids)).toEqual(new Set([dropped!.id]));
  });

  test("gets a new secret, and both sign for 24 hours", async () => {
    later = 0;
    const { body: channel } = await make("/rotated");
    const rotated = await api.call<{ secret: string; previous_secret_until: string }>(
      "POST",
      `${PATH}/${channel.id}/secret`,
    );
    expect(rotated.status).toBe(201);
    expect(rotated.headers.get("cache-control")).toBe("no-store");
    const until = Date.parse(rotated.body.previous_secret_until) - Date.now();
    expect(until).toBeGreaterThan(DAY_MS - 60_000);
    expect((await list())[0]?.previous_secret_until).toBe(rotated.body.previous_secret_until);
    await send(channel);
    const [message] = receiver.at("/rotated");
    for (const secret of [channel.secret!, rotated.body.secret]) verified(message!, secret);
    later = DAY_MS;
    expect((await list())[0]?.previous_secret_until).toBeNull();
    expect(api.logged()).not.toContain("whsec_");
  });

  test("is tested at once, with the answer, and its test is never repeated", async () => {
    const { body: channel } = await make("/tested");
    receiver.answer("/tested", (response) => response.writeHead(401).end("Who are you?\n<script>"));
    const { status, body } = await send(channel);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...{ status: "failed", code: 401, answer: "Who are you? <script>", attempts: 1, next_at: null },
      message: { type: "test", data: { channel: "on call" } },
    });
    expect((await deliveriesOf(channel)).items).toEqual([body]);
  });

  test("is tested although the receiver asks for a wait", async () => {
    const { body: channel } = await make("/busy");
    receiver.answer("/busy", (response) => response.writeHead(429, { "retry-after": "60" }).end());
    expect(await send(channel)).toMatchObject({ status: 200, body: { status: "failed", code: 429 } });
  });

  test("lets a person start ten messages a minute at most", async () => {
    const { body: channel } = await make("/often");
    const statuses: number[] = [];
    for (let count = 0; count < 21; count++) statuses.push((await send(channel)).status);
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(200));
    expect(statuses).toContain(429);
    const page = await deliveriesOf(channel, "?limit=3");
    expect(page.items).toHaveLength(3);
    const next = await deliveriesOf(channel, `?limit=3&cursor=${page.next_cursor}`);
    expect(next.items.map(({ id }) => id)).not.toContain(page.items[0]!.id);
  });
});

describe("other kinds", () => {
  const LONG = "e".repeat(40);

  test("Slack gets text and blocks without markup", async () => {
    const { body: channel } = await make("/slack", { kind: "slack", name: "<!channel> & *you*" });
    expect(channel.secret).toBeNull();
    expect((await send(channel)).body.status).toBe("delivered");
    expect(JSON.parse(receiver.at("/slack")[0]!.text)).toEqual({
      text: "Test message. The alert channel &lt;!channel&gt; &amp; *you* works.",
      blocks: [
        { type: "header", text: { type: "plain_text", text: "Test message", emoji: false } },
        {
          type: "section",
          text: { type: "plain_text", text: "The alert channel <!channel> & *you* works.", emoji: false },
        },
        {
          type: "actions",
          elements: [
            {
              type: "button",
              text: { type: "plain_text", text: "Open in Assay" },
              url: "https://assay.example.org/alerts",
            },
          ],
        },
      ],
    });
    const { status, body } = await api.call<WireProblem>("POST", `${PATH}/${channel.id}/secret`);
    expect([status, slugOf(body)]).toEqual([409, "alert-channel-unsigned"]);
  });

  test("Teams gets an adaptive card whose texts are not Markdown", async () => {
    const { body: channel } = await make("/teams", { kind: "teams", name: "[x](https://evil.example)" });
    await send(channel);
    const { type, attachments } = JSON.parse(receiver.at("/teams")[0]!.text);
    expect([type, attachments.length, attachments[0].contentType]).toEqual([
      "message",
      1,
      "application/vnd.microsoft.card.adaptive",
    ]);
    const text = "The alert channel [x](https://evil.example) works.";
    expect(attachments[0].content).toEqual({
      ...{
        $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
        type: "AdaptiveCard",
        version: "1.4",
      },
      body: [
        {
          type: "RichTextBlock",
          inlines: [{ type: "TextRun", text: "Test message", weight: "Bolder", size: "Medium" }],
        },
        { type: "RichTextBlock", inlines: [{ type: "TextRun", text }] },
      ],
      actions: [{ type: "Action.OpenUrl", title: "Open in Assay", url: "https://assay.example.org/alerts" }],
    });
  });

  test("mail goes to all addresses, through a server that speaks SMTP", async () => {
    const addresses = ["ann@example.org", "bob@example.org", "ann@example.org"];
    const made = await make("", { kind: "email", url: undefined, addresses, name: "mail" });
    expect(made.body).toMatchObject({ addresses: addresses.slice(0, 2), url: null, secret: null });
    await raise(UNUSUAL);
    await expect.poll(async () => (await deliveriesOf(made.body)).items[0]?.status).toBe("delivered");
    const [delivery] = (await deliveriesOf(made.body)).items;
    expect(delivery).toMatchObject({ code: 250, answer: expect.stringMatching(/^250/) });
    const [mail] = mails;
    expect(mail!.to).toEqual(addresses.slice(0, 2));
    expect(mail!.text).toContain("From: Assay <assay@example.org>");
    expect(mail!.text).toContain("Subject: Unusual use of the publishable key");
    expect(mail!.text).toContain(`Message-ID: <${delivery!.id}@assay>`);
    expect(mail!.text).toContain("https://assay.example.org/keys");
  });

  test("mail that nobody takes is a failure, and so is a server that is away", async () => {
    const addresses = ["unknown@example.org"];
    const { body: channel } = await make("", { kind: "email", url: undefined, addresses });
    expect((await send(channel)).body).toMatchObject({ status: "failed", code: 550 });
    const some = ["unknown@example.org", "ann@example.org"];
    await api.call("PUT", `${PATH}/${channel.id}`, { body: { addresses: some } });
    expect((await send(channel)).body).toMatchObject({
      ...{ status: "delivered", answer: "Not accepted for unknown@example.org." },
    });
  });

  test.each([
    [{ kind: "webhook", url: undefined }, "/url"],
    [{ kind: "slack", addresses: ["a@x.org"] }, "/addresses"],
    [{ kind: "email" }, "/url"],
    [{ kind: "email", url: undefined }, "/addresses"],
    [
      { kind: "email", url: undefined, addresses: Array.from({ length: 6 }, (_, i) => `a${i}@x.org`) },
      "/addresses",
    ],
    [{ kind: "email", url: undefined, addresses: ["a@x.org\r\nBcc: b@x.org"] }, "/addresses/0"],
    [{ url: "ftp://example.org" }, "/url"],
    [{ url: "no address" }, "/url"],
    [{ url: `https://${LONG.repeat(60)}` }, "/url"],
    [{ types: [] }, "/types"],
    [{ types: ["test"] }, "/types"],
    [{ name: "a\nb" }, "/name"],
    [{ own: 1 }, "/own"],
  ])("%j is refused at %s", async (change, pointer) => {
    const { status, body } = await make("/x", change);
    expect(status).toBe(400);
    expect(body.errors?.[0]?.pointer).toContain(pointer);
  });
});

test("every change is audited, without a secret, and a change of nothing is not", async () => {
  const { body: channel } = await make("/audited?token=abcdefghijkl");
  const path = `${PATH}/${channel.id}`;
  await api.call("PUT", path, {
    body: { name: "nights", url: `${receiver.url}/audited?token=mnopqrstuvwx` },
  });
  await api.call("PUT", path, { body: { name: "nights" } });
  await api.call("POST", `${path}/secret`);
  await api.call("DELETE", path);
  const { body } = await api.call<{ items: readonly { action: string; summary: string; diff: object }[] }>(
    "GET",
    `/v1/audit?target_id=${channel.id}`,
  );
  expect(body.items.map(({ action, summary }) => [action, summary])).toEqual([
    ["alert-channel.remove", "Removed the alert channel nights."],
    ["alert-channel.rotate-secret", "Made a new secret for the alert channel nights."],
    ["alert-channel.change", "Changed the alert channel on call, and where it sends."],
    ["alert-channel.create", "Made the alert channel on call (webhook)."],
  ]);
  expect(body.items[2]?.diff).toEqual({
    name: { from: "on call", to: "nights" },
    url: { from: `${receiver.url}/…ijkl`, to: `${receiver.url}/…uvwx` },
  });
  expect(JSON.stringify(body)).not.toMatch(/abcdefghijkl|mnopqrstuvwx|whsec_/);
});

test("an org has ten channels at most, and sees only its own", async () => {
  const { body: first } = await make("/first");
  for (let count = 1; count < 10; count++) await make("/more");
  const { status, body } = await make("/eleventh");
  expect([status, slugOf(body)]).toEqual([409, "too-many-alert-channels"]);
  const token = await api.token({ org: "strangers", email: "ann@strangers.org" });
  expect((await api.call<object>("GET", PATH, { token })).body).toEqual({
    items: [],
    email_configured: true,
  });
  for (const [method, rest] of [
    ["PUT", ""],
    ["DELETE", ""],
    ["POST", "/test"],
    ["POST", "/secret"],
    ["GET", "/deliveries"],
    ["POST", `/deliveries/${first.id}/replay`],
  ] as const) {
    const body = method === "PUT" ? { body: { name: "mine" } } : {};
    expect((await api.call(method, `${PATH}/${first.id}${rest}`, { token, ...body })).status, rest).toBe(404);
  }
});

test("without the setting, private addresses and http are refused, and mail without a server", async () => {
  const closed = await openTestService();
  const post = (body: object) => closed.call<WireProblem>("POST", PATH, { body: { name: "n", ...body } });
  for (const url of [`${receiver.url}/x`, "https://127.0.0.1/x", "https://localhost/x", "https://[::1]/"]) {
    const { status, body } = await post({ kind: "webhook", url });
    expect([status, body.errors?.[0]?.pointer], url).toEqual([400, "/url"]);
    expect(body.detail, url).toContain("ASSAY_ALERTS_PRIVATE_ADDRESSES=allow");
  }
  const mail = await post({ kind: "email", addresses: ["a@x.org"] });
  expect([mail.status, slugOf(mail.body)]).toEqual([409, "mail-not-configured"]);
  await closed.stop();
});

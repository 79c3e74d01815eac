import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { controlEngines } from "../../test-support/control-engines.ts";
import { slugOf, type WireProblem } from "../../test-support/experiments.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

const HOUR_MS = 3_600_000;
const clock = { at: Date.UTC(2026, 10, 21, 9, 30), now: () => clock.at };
/** An hour later nobody is held up by what was sent before. */
afterEach(() => {
  clock.at += HOUR_MS;
});

let api: TestService;
beforeAll(async () => {
  api = await openTestService({}, clock);
});
afterAll(() => api.stop());

const message = { name: "Ann", email: "ann@example.org", message: "Hello,\nmay we try it?" };
type Headers = Readonly<Record<string, string>>;

async function post(body: unknown, headers: Headers = {}, service: TestService = api) {
  const response = await fetch(`${service.service.url}/v1/contact`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const problem = text === "" ? null : (JSON.parse(text) as WireProblem);
  return { status: response.status, headers: response.headers, text, problem };
}

interface Contact {
  readonly kind: string;
  readonly name: string;
  readonly company: string | null;
}
const inbox = async (service: TestService = api) =>
  (await service.call<{ items: readonly Contact[] }>("GET", "/v1/admin/inbox?limit=200")).body.items;
/** Sends messages in sequence. */
const statuses = async (count: number, headers: (i: number) => Headers, service: TestService = api) => {
  const all: number[] = [];
  for (let i = 0; i < count; i++) all.push((await post(message, headers(i), service)).status);
  return all;
};

describe("a contact message", () => {
  test("is taken from anybody and reaches the platform owner", async () => {
    const { status, text, headers } = await post({ ...message, company: "Acme “日本” \\ '--", website: "" });
    expect([status, text, headers.get("access-control-allow-origin")]).toEqual([202, "", null]);
    expect((await inbox())[0]).toEqual({
      kind: "contact",
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      at: new Date(clock.at).toISOString(),
      ...message,
      company: "Acme “日本” \\ '--",
    });
  });

  test.each([
    { name: "nothing", body: undefined, pointers: ["/name", "/email", "/message"] },
    { name: "an empty object", body: {}, pointers: ["/name", "/email", "/message"] },
    { name: "a list", body: [], pointers: [""] },
    { name: "null", body: "null", pointers: [""] },
    { name: "text that is no JSON", body: "{", pointers: [""] },
    { name: "a prototype", body: '{"__proto__":{"x":1}}', pointers: [""] },
    { name: "no email", body: { ...message, email: "ann" }, pointers: ["/email"] },
    { name: "a NUL in the email", body: { ...message, email: "a\0@b" }, pointers: ["/email"] },
    { name: "a name of two lines", body: { ...message, name: "Ann\nBob" }, pointers: ["/name"] },
    { name: "a name too long", body: { ...message, name: "n".repeat(201) }, pointers: ["/name"] },
    { name: "a message too long", body: { ...message, message: "x".repeat(5_001) }, pointers: ["/message"] },
    { name: "an invalid company", body: { ...message, company: null }, pointers: ["/company"] },
    { name: "a website that is no text", body: { ...message, website: 1 }, pointers: ["/website"] },
    { name: "a field too many", body: { ...message, phone: "1" }, pointers: ["/phone"] },
  ])("of $name is refused with what is wrong, and costs nothing of the cap", async ({ body, pointers }) => {
    const before = (await inbox()).length;
    for (let i = 0; i < 6; i++) {
      const { status, problem } = await post(body);
      expect([status, problem && slugOf(problem)]).toEqual([400, "invalid-body"]);
      expect(problem?.errors?.map(({ pointer }) => pointer)).toEqual(pointers);
    }
    expect((await post(message)).status).toBe(202);
    expect((await inbox()).length).toBe(before + 1);
  });

  test.each([
    { type: "text/plain", status: 415 },
    { type: "application/x-www-form-urlencoded", status: 415 },
    { type: "multipart/form-data; boundary=x", status: 415 },
    { type: "application/json; charset=utf-8", status: 202 },
  ])("as $type is answered with $status", async ({ type, status }) => {
    expect((await post(message, { "content-type": type })).status).toBe(status);
  });

  test("of more than 64 KiB is refused", async () => {
    const { status, problem } = await post({ ...message, website: "x".repeat(64 * 1024) });
    expect([status, problem && slugOf(problem)]).toEqual([413, "body-too-large"]);
  });
});

describe("a filled honeypot", () => {
  test.each([
    { name: "a whole message", body: { ...message, website: "https://spam.example" } },
    { name: "a body full of faults", body: { website: "x", name: 7, other: null } },
  ])("in $name is answered like a message, and nothing is kept", async ({ body }) => {
    const before = await inbox();
    const taken = await post(message);
    for (let i = 0; i < 10; i++) {
      const { status, text, headers } = await post(body);
      expect([status, text, [...headers.keys()]]).toEqual([202, "", [...taken.headers.keys()]]);
    }
    expect((await inbox()).length).toBe(before.length + 1);
    expect(await statuses(5, () => ({}))).toEqual([202, 202, 202, 202, 429]);
    expect((await post(body)).status).toBe(202);
  });
});

describe("the hourly cap", () => {
  test("takes five, then says when there is room, and takes one for each that is an hour old", async () => {
    for (let i = 0; i < 5; i++) {
      expect((await post(message)).status).toBe(202);
      clock.at += 60_000;
    }
    const refused = await post(message);
    expect([refused.status, refused.problem && slugOf(refused.problem)]).toEqual([429, "rate-limited"]);
    const wait = 55 * 60;
    expect(refused.headers.get("retry-after")).toBe(String(wait));
    expect(refused.headers.get("ratelimit-policy")).toBe('"contact";q=5;w=3600');
    expect(refused.headers.get("ratelimit")).toBe(`"contact";r=0;t=${wait}`);
    clock.at += wait * 1_000 - 1;
    expect((await post(message)).status).toBe(429);
    clock.at += 1;
    expect(await statuses(2, () => ({}))).toEqual([202, 429]);
  });

  test("is not widened by a restart", async () => {
    expect(await statuses(5, () => ({}))).toEqual([202, 202, 202, 202, 202]);
    await api.restart();
    expect((await post(message)).status).toBe(429);
  });

  test.each(controlEngines("the cap on messages that come at once"))(
    "holds for messages that come at once, on $engine",
    async ({ open }) => {
      const { databaseUrl, drop } = await open();
      const settings = { databaseUrl, masterKey: Buffer.alloc(32, 1) };
      // Two processes where the engine can be shared.
      const services = [await openTestService(settings, clock)];
      if (databaseUrl !== null) services.push(await openTestService(settings, clock));
      const sent = Array.from({ length: 20 }, () => services.map((service) => post(message, {}, service)));
      const answers = (await Promise.all(sent.flat())).map(({ status }) => status);
      expect(answers.filter((status) => status === 202).length).toBe(5);
      expect(answers.filter((status) => status === 429).length).toBe(answers.length - 5);
      for (const service of services) await service.stop();
      await drop();
    },
  );

  test("believes no header about the address where no proxy is configured", async () => {
    const spoofed = (i: number) => ({
      "x-forwarded-for": `203.0.113.${i}`,
      forwarded: `for=203.0.113.${i}`,
      "x-real-ip": `203.0.113.${i}`,
      "cf-connecting-ip": `203.0.113.${i}`,
    });
    expect(await statuses(6, spoofed)).toEqual([202, 202, 202, 202, 202, 429]);
  });

  test("keeps the sender's address nowhere", async () => {
    await post(message);
    expect(JSON.stringify(await inbox())).not.toContain("127.0.0.1");
    expect(api.logged()).not.toContain("Hello,");
  });
});

describe("behind configured proxies", () => {
  let proxied: TestService;
  beforeAll(async () => {
    const trustedProxies = ["127.0.0.1", "::1", "10.0.0.0/8"];
    proxied = await openTestService({ trustedProxies }, clock);
  });
  afterAll(() => proxied.stop());
  const by = (forwarded: (i: number) => string) =>
    statuses(6, (i) => ({ "x-forwarded-for": forwarded(i) }), proxied);
  const ALL = [202, 202, 202, 202, 202, 202];
  const CAPPED = [202, 202, 202, 202, 202, 429];

  test.each([
    { name: "each client has its own", from: (i: number) => `203.0.113.${i}`, taken: ALL },
    { name: "one client has one", from: () => "203.0.113.9", taken: CAPPED },
    {
      name: "what the client claims counts for nothing",
      from: (i: number) => `198.51.100.${i}, 203.0.113.9`,
      taken: CAPPED,
    },
    {
      name: "a chain of proxies is looked through",
      from: (i: number) => `203.0.113.${i}, 10.1.2.3, 10.0.0.1`,
      taken: ALL,
    },
    {
      name: "a proxy that is not configured is the client",
      from: (i: number) => `198.51.100.${i}, 192.0.2.1, 10.0.0.1`,
      taken: CAPPED,
    },
    { name: "an IPv6 /64 is one client", from: (i: number) => `2001:db8:1:2::${i}`, taken: CAPPED },
    { name: "another IPv6 /64 is another", from: (i: number) => `2001:db8:1:${i}::1`, taken: ALL },
    {
      name: "an IPv4 address is the same when mapped",
      from: (i: number) => (i % 2 ? "::ffff:203.0.113.9" : "203.0.113.9"),
      taken: CAPPED,
    },
    { name: "no address at all is the proxy's", from: () => "", taken: CAPPED },
    { name: "nonsense is one client", from: (i: number) => `198.51.100.${i}, unknown`, taken: CAPPED },
  ])("$name", async ({ from, taken }) => {
    expect(await by(from)).toEqual(taken);
  });
});

test("the cap can be set", async () => {
  const strict = await openTestService({ contactPerHour: 1 }, clock);
  expect(await statuses(2, () => ({}), strict)).toEqual([202, 429]);
  await strict.stop();
});

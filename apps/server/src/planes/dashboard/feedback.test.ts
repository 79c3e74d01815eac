import { afterAll, beforeAll, expect, test } from "vitest";
import { slugOf, type WireProblem } from "../../test-support/experiments.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

interface Feedback {
  readonly id: string;
  readonly at: string;
  readonly author: { readonly id: string; readonly name: string; readonly email: string };
  readonly category: string;
  readonly message: string;
  readonly page: string | null;
}
interface Page {
  readonly items: readonly Feedback[];
  readonly next_cursor: string | null;
}

let api: TestService;
beforeAll(async () => {
  api = await openTestService();
});
afterAll(() => api.stop());

const path = "/v1/feedback";
const memberOf = (org: string, email = `m@${org}.org`) => api.token({ email, role: "member", org });
const write = (token: string, body: unknown) =>
  api.call<Feedback & WireProblem>("POST", path, { token, body });
const list = async (token: string, query = "") =>
  (await api.call<Page>("GET", `${path}${query}`, { token })).body;

test("a member writes, and everybody of the org reads it, newest first; other orgs do not", async () => {
  const [ann, bob, eve] = await Promise.all([
    memberOf("acme", "ann@acme.org"),
    memberOf("acme", "bob@acme.org"),
    memberOf("other"),
  ]);
  const message = "Line one.\nLine two: “quotes” \\ 日本 🙂 '; DROP TABLE feedback; --";
  const first = await write(ann, { message, category: "bug", page: "/experiments/1" });
  expect([first.status, first.body]).toEqual([
    201,
    {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      at: expect.stringMatching(/^\d{4}-.+\.\d{3}Z$/),
      author: { id: expect.any(String), name: "ann@acme.org", email: "ann@acme.org" },
      category: "bug",
      message,
      page: "/experiments/1",
    },
  ]);
  const second = await write(bob, { message: "x".repeat(5_000), category: "other" });
  expect([second.status, second.body.page]).toEqual([201, null]);
  await write(eve, { message: "Ours.", category: "idea" });
  for (const token of [ann, bob])
    expect(await list(token)).toEqual({ items: [second.body, first.body], next_cursor: null });
  expect((await list(eve)).items.map((item) => item.message)).toEqual(["Ours."]);
  expect((await list(await memberOf("empty"))).items).toEqual([]);
});

test("a long list is walked page by page, each once", async () => {
  const token = await memberOf("pages");
  const written: string[] = [];
  for (let i = 0; i < 7; i++)
    written.unshift((await write(token, { message: `No. ${i}`, category: "idea" })).body.id);
  const read: string[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const page: Page = await list(token, `?limit=3${cursor === "" ? "" : `&cursor=${cursor}`}`);
    read.push(...page.items.map(({ id }) => id));
    cursor = page.next_cursor;
  }
  expect(read).toEqual(written);
});

test.each([
  { name: "nothing", body: undefined, pointers: ["/message", "/category"] },
  { name: "an empty message", body: { message: "", category: "bug" }, pointers: ["/message"] },
  {
    name: "a message too long",
    body: { message: "x".repeat(5_001), category: "bug" },
    pointers: ["/message"],
  },
  { name: "a NUL", body: { message: "a\0b", category: "bug" }, pointers: ["/message"] },
  { name: "another category", body: { message: "m", category: "rant" }, pointers: ["/category"] },
  {
    name: "a page too long",
    body: { message: "m", category: "bug", page: "/".repeat(201) },
    pointers: ["/page"],
  },
  { name: "an invalid page", body: { message: "m", category: "bug", page: 7 }, pointers: ["/page"] },
  { name: "a field too many", body: { message: "m", category: "bug", org_id: "x" }, pointers: ["/org_id"] },
  { name: "a list", body: [], pointers: [""] },
])("refuses $name with what is wrong", async ({ body, pointers }) => {
  const { status, body: problem } = await write(await memberOf("acme"), body);
  expect([status, slugOf(problem)]).toEqual([400, "invalid-body"]);
  expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(pointers);
});

test.each(["?limit=0", "?limit=201", "?limit=ten", "?cursor=mine", "?page=2"])(
  "refuses the list with %s",
  async (query) => {
    const token = await memberOf("acme");
    const { status, body } = await api.call<WireProblem>("GET", path + query, { token });
    expect([status, slugOf(body)]).toEqual([400, "invalid-query"]);
  },
);

test.each(["GET", "POST"])("%s needs a session: a key or a stranger gets 401", async (method) => {
  const key = await api.newKey("secret");
  expect((await api.call(method, path, { key })).status).toBe(401);
  expect((await fetch(api.service.url + path, { method })).status).toBe(401);
});

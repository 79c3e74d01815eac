import { expect, test } from "vitest";
import { joinChanges } from "./join-changes.ts";

const post = (body: string) => new Request("http://assay.test/v1/keys", { method: "POST", body });

/** Counts what is sent, and answers with the count once all callers have asked. */
function counted() {
  let sent = 0;
  const send = joinChanges(async () => {
    sent += 1;
    const answer = String(sent);
    await new Promise((resolve) => setTimeout(resolve, 1));
    return new Response(answer);
  });
  return async (...requests: readonly Request[]) =>
    Promise.all(requests.map(async (request) => (await send(request)).text()));
}

test("the same change is sent once while it is under way, and both callers read its answer", async () => {
  const ask = counted();
  expect(await ask(post("a"), post("a"))).toEqual(["1", "1"]);
  expect(await ask(post("a"))).toEqual(["2"]);
});

test("other changes, and reads, are sent each", async () => {
  expect(await counted()(post("a"), post("b"))).toEqual(["1", "2"]);
  const read = () => new Request("http://assay.test/v1/keys");
  expect(await counted()(read(), read())).toEqual(["1", "2"]);
});

test("a change that failed can be sent again", async () => {
  let sent = 0;
  const send = joinChanges(async () => {
    sent += 1;
    if (sent === 1) throw new TypeError("failed to fetch");
    return new Response("ok");
  });
  const both = await Promise.allSettled([send(post("a")), send(post("a"))]);
  expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await (await send(post("a"))).text()).toBe("ok");
});

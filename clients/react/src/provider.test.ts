import { findAssignmentIn } from "@assay/client/rendering";
import { createTestClient } from "@assay/client/testing";
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { expect, test, vi } from "vitest";
import { config } from "../test-support/config.ts";
import {
  AssayProvider,
  type AssayProviderProps,
  usePrompt,
  useTrack,
  useVariables,
  useVariant,
} from "./index.ts";

function Shown() {
  const content = { ...usePrompt("greeting", "Answer."), ...useVariables("greeting", { tone: "plain" }) };
  return createElement(
    "i",
    null,
    [useVariant("greeting"), content.prompt, content.tone, typeof useTrack()].join(),
  );
}

const render = (props: unknown) =>
  renderToString(createElement(AssayProvider, props as AssayProviderProps, createElement(Shown)));

test("on a server, the application's client assigns, and no exposure is recorded", () => {
  const client = createTestClient({
    greeting: { variant: "short", prompt: "Be brief.", variables: { tone: "dry" } },
  });
  expect(render({ client, user: "ann" })).toBe("<i>short,Be brief.,dry,function</i>");
  expect(client.events).toEqual([]);
});

test("on a server, options create no client: the bootstrap assigns; without one, control behavior", () => {
  const fetch = vi.fn();
  const options = { apiKey: "svc_pk_1", fetch };
  const bootstrap = config(1, { buckets: [[100, 1]] });
  expect(render({ options: { ...options, bootstrap }, user: "ann" })).toBe(
    "<i>brief,Be brief.,warm,function</i>",
  );
  const control = "<i>,Answer.,plain,function</i>";
  for (const user of [null, undefined])
    expect(render({ options: { ...options, bootstrap }, user })).toBe(control);
  for (const unusable of [undefined, null, "config", { experiments: 3 }])
    expect(render({ options: { ...options, bootstrap: unusable }, user: "ann" })).toBe(control);
  expect(fetch).not.toHaveBeenCalled();
});

test("an experiment that assigns conversations takes the provider's unit, not the user", () => {
  const bootstrap = config(1, { unit: "conversation" });
  const variants = Array.from({ length: 20 }, (_, index) => `c-${index}`).map((unit) => {
    const html = render({ options: { apiKey: "svc_pk_1", bootstrap }, user: "ann", unit });
    const found = findAssignmentIn(bootstrap, "greeting", { user: "ben", unit });
    expect(html.startsWith(`<i>${found!.variant.key},`)).toBe(true);
    return found!.variant.key;
  });
  expect(new Set(variants).size).toBe(2);
  for (const unit of [undefined, null])
    expect(render({ options: { apiKey: "svc_pk_1", bootstrap }, user: "ann", unit })).toBe(
      "<i>,Answer.,plain,function</i>",
    );
  const client = createTestClient({ greeting: "brief" });
  expect(render({ client, user: "ann", unit: "c-1" })).toContain("<i>brief,");
});

test("takes any defaults", () => {
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  let count = 0;
  const Odd = () => {
    const { tone } = useVariables("greeting", { ...circular, tone: "plain", size: 1n, count: count++ });
    return createElement("i", null, `${tone}`);
  };
  const client = createTestClient({ greeting: { variant: "short", variables: { tone: "dry" } } });
  const element = createElement(AssayProvider, { client, user: "ann" }, createElement(Odd));
  expect(renderToString(element)).toBe("<i>dry</i>");
});

test("says what is missing", () => {
  const keyNeeded =
    "AssayProvider: the page gets these options, so options.apiKey must be the publishable key (svc_pk_…).";
  for (const apiKey of ["svc_sk_1", "", undefined])
    expect(() => render({ options: { apiKey }, user: "ann" })).toThrow(keyNeeded);
  expect(render({ options: { offline: true }, user: "ann" })).toContain("Answer.");
  expect(() => render({ user: "ann" })).toThrow("AssayProvider needs options or a client.");
  expect(() => renderToString(createElement(Shown))).toThrow("Assay's hooks need an <AssayProvider>");
});

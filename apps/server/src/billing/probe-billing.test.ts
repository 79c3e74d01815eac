import { afterAll, beforeAll, expect, test } from "vitest";
import type { BillingSettings } from "../settings/billing-settings.ts";
import { METER, openStripeApi, type StripeApi } from "../test-support/stripe-api.ts";
import { probeBilling } from "./probe-billing.ts";

let stripe: StripeApi;
beforeAll(async () => {
  stripe = await openStripeApi();
});
afterAll(() => stripe.close());

test("an installation without billing, or with a key and prices that Stripe knows, is in order", async () => {
  expect(await probeBilling(null)).toMatch(/^none/);
  expect(await probeBilling(stripe.settings)).toMatch(/^Stripe/);
  expect(await probeBilling({ ...stripe.settings, meter: METER })).toMatch(/^Stripe/);
});

test.each<{ wrong: Partial<BillingSettings>; names: string }>([
  { wrong: { secretKey: "sk_wrong" }, names: "ASSAY_BILLING_SECRET_KEY" },
  { wrong: { prices: { pro: "price_none", business: "price_business" } }, names: "ASSAY_BILLING_PRICE_PRO" },
  { wrong: { prices: { pro: "price_pro", business: "no" } }, names: "ASSAY_BILLING_PRICE_BUSINESS" },
  { wrong: { meter: "no_such_meter" }, names: "ASSAY_BILLING_METER" },
  { wrong: { apiUrl: "http://127.0.0.1:1" }, names: "ASSAY_BILLING_API_URL" },
])("a fault names the setting to fix: $names", async ({ wrong, names }) => {
  const error = await probeBilling({ ...stripe.settings, ...wrong }).catch((fault: Error) => fault);
  expect(error).toBeInstanceOf(Error);
  expect((error as Error).message).toContain(names);
  expect((error as Error).message).not.toContain("sk_");
});

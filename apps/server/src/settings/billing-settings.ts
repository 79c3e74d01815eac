import { parseUrl, type ReadSetting, required, SettingsError } from "./parse-value.ts";

/** The Stripe account. */
export interface BillingSettings {
  readonly secretKey: string;
  readonly webhookSecret: string;
  /** The price ids, which determine a subscription's plan. */
  readonly prices: { readonly pro: string; readonly business: string };
  /** Event name of the meter for overage. Null: overage is not reported, so not billed. */
  readonly meter: string | null;
  /** An address to use instead of Stripe's; null for Stripe's own. */
  readonly apiUrl: string | null;
}

export const BILLING_SETTINGS = [
  {
    name: "ASSAY_BILLING_SECRET_KEY",
    default: "none: no billing",
    meaning: "Stripe's secret key",
    isSecret: true,
  },
  {
    name: "ASSAY_BILLING_WEBHOOK_SECRET",
    default: "none",
    meaning: "signing secret of the webhook endpoint at Stripe",
    isSecret: true,
  },
  { name: "ASSAY_BILLING_PRICE_PRO", default: "none", meaning: "Stripe's price id of the plan pro" },
  {
    name: "ASSAY_BILLING_PRICE_BUSINESS",
    default: "none",
    meaning: "Stripe's price id of the plan business",
  },
  {
    name: "ASSAY_BILLING_METER",
    default: "none: overage is not billed",
    meaning: "event name of the meter at Stripe to which events beyond the allowance are reported",
  },
  {
    name: "ASSAY_BILLING_API_URL",
    default: "Stripe's own",
    meaning: "http(s):// address to use instead of Stripe's API",
  },
] as const;

/** Reads the Stripe account; null when none of its settings is set. Throws a `SettingsError` when only some are. */
export function parseBilling(read: ReadSetting): BillingSettings | null {
  const set = BILLING_SETTINGS.find(({ name }) => read(name) !== undefined);
  if (set === undefined) return null;
  const need = (name: string) => required(name, set.name, read);
  const apiUrl = read("ASSAY_BILLING_API_URL");
  const [secretKey, webhookSecret] = [need("ASSAY_BILLING_SECRET_KEY"), need("ASSAY_BILLING_WEBHOOK_SECRET")];
  const prices = { pro: need("ASSAY_BILLING_PRICE_PRO"), business: need("ASSAY_BILLING_PRICE_BUSINESS") };
  if (prices.pro === prices.business)
    throw new SettingsError(
      "ASSAY_BILLING_PRICE_PRO and ASSAY_BILLING_PRICE_BUSINESS name the same price: a subscription's price says which plan it pays for, so each plan needs its own.",
    );
  return {
    secretKey,
    webhookSecret,
    prices,
    meter: read("ASSAY_BILLING_METER") ?? null,
    apiUrl: apiUrl === undefined ? null : parseUrl("ASSAY_BILLING_API_URL", apiUrl, ["http:", "https:"]),
  };
}

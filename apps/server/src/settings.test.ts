import { isAbsolute } from "node:path";
import { describe, expect, test } from "vitest";
import { DEFAULT_CLAIMS } from "./settings/identity-settings.ts";
import { parseSettings, SETTINGS, SettingsError, serviceUrl } from "./settings.ts";

test("an empty environment gives the documented defaults", () => {
  expect(parseSettings({})).toMatchObject({
    host: "127.0.0.1",
    port: 8787,
    databaseUrl: null,
    eventsUrl: null,
    masterKey: null,
    identity: { kind: "local" },
    billing: null,
    judge: null,
    rehearsal: null,
    trustedProxies: [],
    publicUrl: null,
    allowedHosts: null,
    platformOwnerEmails: null,
    enforcePlanLimits: false,
    publicAllowanceShare: 0.8,
    nightlyAtMinutes: 15,
    rateLimits: {
      assignPerSecond: 2_000,
      eventsPerSecond: 1_000,
      publicRowsPerSecond: 20_000,
      publicBytesPerSecond: 8 * 1024 * 1024,
      rowsPerSecond: 100_000,
      bytesPerSecond: 64 * 1024 * 1024,
      configPerSecond: 1_000,
      businessEventsPerSecond: 1_000,
      importPerMinute: 10,
      analysesPerMinute: 30,
      searchesPerMinute: 60,
    },
    contactPerHour: 5,
    stopDelayMs: 0,
    tracing: null,
  });
  expect(isAbsolute(parseSettings({}).dataDir)).toBe(true);
});

test("an empty value is no value", () => {
  expect(parseSettings({ ASSAY_PORT: "", ASSAY_DATABASE_URL: "" })).toEqual(parseSettings({}));
});

test("without an endpoint of their own, rehearsals ask the judge's, and its key goes nowhere else", () => {
  const judge = { ASSAY_JUDGE_URL: "https://j/v1", ASSAY_JUDGE_API_KEY: "sk_j", ASSAY_JUDGE_MODEL: "m" };
  expect(parseSettings(judge).rehearsal).toEqual({ url: "https://j/v1", apiKey: "sk_j", isJudges: true });
  const own = { ...judge, ASSAY_REHEARSAL_URL: "https://r/v1" };
  expect(parseSettings(own).rehearsal).toEqual({ url: "https://r/v1", apiKey: null, isJudges: false });
  expect(() => parseSettings({ ...judge, ASSAY_REHEARSAL_API_KEY: "sk_r" })).toThrow(
    "ASSAY_REHEARSAL_URL is missing: ASSAY_REHEARSAL_API_KEY needs it.",
  );
  expect(() => parseSettings({ ASSAY_REHEARSAL_URL: "https://u:p@r/v1" })).toThrow(
    "ASSAY_REHEARSAL_URL must be an address without user, password",
  );
});

test("every setting is read", () => {
  const key = Buffer.alloc(32, 7);
  const settings = parseSettings({
    ASSAY_HOST: "0.0.0.0",
    ASSAY_PORT: "0",
    ASSAY_DATA_DIR: "/data",
    ASSAY_ROLE: "worker",
    ASSAY_DATABASE_URL: "postgres://u:p@h/db",
    ASSAY_EVENTS_URL: "http://h:8123",
    ASSAY_QUEUE_URL: "nats://u:p@a:4222, nats://u:p@b:4222",
    ASSAY_MASTER_KEY: key.toString("base64"),
    ASSAY_IDENTITY: "clerk",
    ASSAY_IDENTITY_ISSUER: "https://clerk.example.org",
    ASSAY_IDENTITY_AUDIENCE: "assay",
    ASSAY_IDENTITY_JWKS_URL: "https://keys.example.org/jwks",
    ASSAY_IDENTITY_WEBHOOK_SECRET: "whsec_c2VjcmV0",
    ASSAY_IDENTITY_API_KEY: "sk_clerk",
    ASSAY_IDENTITY_API_URL: "https://api.example.org/v1/",
    ASSAY_BILLING_SECRET_KEY: "sk_stripe",
    ASSAY_BILLING_WEBHOOK_SECRET: "whsec_stripe",
    ASSAY_BILLING_PRICE_PRO: "price_pro",
    ASSAY_BILLING_PRICE_BUSINESS: "price_business",
    ASSAY_BILLING_METER: "assay_overage",
    ASSAY_BILLING_API_URL: "http://127.0.0.1:12111",
    ASSAY_ALERTS_PRIVATE_ADDRESSES: "allow",
    ASSAY_SMTP_URL: "smtps://u:p@mail.example.org",
    ASSAY_SMTP_FROM: "Assay <assay@example.org>",
    ASSAY_JUDGE_URL: "https://judge.example.org/v1/",
    ASSAY_JUDGE_API_KEY: "sk_judge",
    ASSAY_JUDGE_MODEL: "gpt-5-mini",
    ASSAY_REHEARSAL_URL: "https://models.example.org/v1/",
    ASSAY_REHEARSAL_API_KEY: "sk_models",
    ASSAY_TRUSTED_PROXIES: "10.0.0.0/8, ::1",
    ASSAY_PUBLIC_URL: "https://Assay.example.org/",
    ASSAY_ALLOWED_HOSTS: "internal.example.org, 10.0.0.7",
    ASSAY_PLATFORM_OWNER_EMAILS: "A@x.org, b@x.org",
    ASSAY_ENFORCE_PLAN_LIMITS: "true",
    ASSAY_PUBLIC_ALLOWANCE_SHARE: "0.25",
    ASSAY_NIGHTLY_AT: "23:59",
    ASSAY_RATE_ASSIGN_PER_SECOND: "1",
    ASSAY_RATE_EVENTS_PER_SECOND: "2",
    ASSAY_RATE_PUBLIC_ROWS_PER_SECOND: "7",
    ASSAY_RATE_PUBLIC_BYTES_PER_SECOND: "12",
    ASSAY_RATE_ROWS_PER_SECOND: "8",
    ASSAY_RATE_BYTES_PER_SECOND: "9",
    ASSAY_RATE_CONFIG_PER_SECOND: "3",
    ASSAY_RATE_BUSINESS_EVENTS_PER_SECOND: "4",
    ASSAY_RATE_IMPORT_PER_MINUTE: "5",
    ASSAY_RATE_ANALYSES_PER_MINUTE: "10",
    ASSAY_RATE_SEARCHES_PER_MINUTE: "11",
    ASSAY_RATE_CONTACT_PER_HOUR: "6",
    ASSAY_STOP_DELAY_SECONDS: "15",
  });
  expect(settings).toEqual({
    host: "0.0.0.0",
    port: 0,
    dataDir: "/data",
    databaseUrl: "postgres://u:p@h/db",
    eventsUrl: "http://h:8123",
    queueUrls: ["nats://u:p@a:4222", "nats://u:p@b:4222"],
    role: "worker",
    masterKey: key,
    identity: {
      kind: "clerk",
      issuer: "https://clerk.example.org",
      audience: "assay",
      jwksUrl: "https://keys.example.org/jwks",
      claims: DEFAULT_CLAIMS,
      client: null,
      webhookSecret: "whsec_c2VjcmV0",
      api: { url: "https://api.example.org/v1", key: "sk_clerk" },
    },
    billing: {
      secretKey: "sk_stripe",
      webhookSecret: "whsec_stripe",
      prices: { pro: "price_pro", business: "price_business" },
      meter: "assay_overage",
      apiUrl: "http://127.0.0.1:12111",
    },
    judge: { url: "https://judge.example.org/v1", apiKey: "sk_judge", model: "gpt-5-mini" },
    rehearsal: { url: "https://models.example.org/v1", apiKey: "sk_models", isJudges: false },
    alerts: {
      allowsPrivate: true,
      smtp: { url: "smtps://u:p@mail.example.org", from: "Assay <assay@example.org>" },
    },
    trustedProxies: ["10.0.0.0/8", "::1"],
    publicUrl: "https://assay.example.org",
    allowedHosts: ["internal.example.org", "10.0.0.7", "assay.example.org"],
    platformOwnerEmails: ["a@x.org", "b@x.org"],
    enforcePlanLimits: true,
    publicAllowanceShare: 0.25,
    nightlyAtMinutes: 1439,
    rateLimits: {
      assignPerSecond: 1,
      eventsPerSecond: 2,
      publicRowsPerSecond: 7,
      publicBytesPerSecond: 12,
      rowsPerSecond: 8,
      bytesPerSecond: 9,
      configPerSecond: 3,
      businessEventsPerSecond: 4,
      importPerMinute: 5,
      analysesPerMinute: 10,
      searchesPerMinute: 11,
    },
    contactPerHour: 6,
    stopDelayMs: 15_000,
    tracing: null,
  });
});

test.each([
  { change: { ASSAY_PUBLIC_URL: "assay.example.org" }, says: /ASSAY_PUBLIC_URL must be an address such as/ },
  { change: { ASSAY_PUBLIC_URL: "https://x.org/assay" }, says: /without a path/ },
  { change: { ASSAY_PUBLIC_URL: "ftp://x.org" }, says: /ASSAY_PUBLIC_URL/ },
  { change: { ASSAY_ALLOWED_HOSTS: "x.org:8080" }, says: /host names without ports.*"x.org:8080"/ },
  { change: { ASSAY_ALLOWED_HOSTS: "x.org, *.x.org" }, says: /without ports or wildcards.*"\*\.x\.org"/ },
  { change: { ASSAY_ALLOWED_HOSTS: "x.org,," }, says: /ASSAY_ALLOWED_HOSTS/ },
])("$change is refused", ({ change, says }) => {
  expect(() => parseSettings(change)).toThrow(says);
});

describe("sign-in at an OpenID provider", () => {
  const oidc = {
    ASSAY_IDENTITY: "oidc",
    ASSAY_IDENTITY_ISSUER: "https://id.example.org",
    ASSAY_IDENTITY_JWKS_URL: "https://id.example.org/jwks",
    ASSAY_IDENTITY_CLIENT_ID: "assay-web",
  };

  test("needs a client id, which is the audience unless that is set", () => {
    expect(parseSettings(oidc).identity).toMatchObject({
      audience: "assay-web",
      client: { id: "assay-web", secret: null, scopes: "openid email profile" },
    });
  });

  test("reads claims, groups and defaults", () => {
    const settings = {
      ...oidc,
      ASSAY_IDENTITY_CLIENT_SECRET: "secret",
      ASSAY_IDENTITY_SCOPES: "openid offline_access",
      ASSAY_IDENTITY_CLAIM_EMAIL: "upn",
      ASSAY_IDENTITY_CLAIM_NAME: "nickname",
      ASSAY_IDENTITY_CLAIM_ORG: "tenant",
      ASSAY_IDENTITY_CLAIM_ROLE: "realm_access.roles",
      ASSAY_IDENTITY_ROLES: "assay-admins=admin, cn=owners=owner",
      ASSAY_IDENTITY_DEFAULT_ORG: "everybody",
      ASSAY_IDENTITY_DEFAULT_ROLE: "member",
    };
    expect(parseSettings(settings).identity).toMatchObject({
      client: { secret: "secret", scopes: "openid offline_access" },
      claims: {
        ...{ email: "upn", name: "nickname", org: "tenant", role: "realm_access.roles" },
        ...{ defaultOrg: "everybody", defaultRole: "member" },
        roles: new Map([
          ["assay-admins", "admin"],
          ["cn=owners", "owner"],
        ]),
      },
    });
  });

  test.each([
    { name: "a group without a role", change: { ASSAY_IDENTITY_ROLES: "admins" }, says: /name=role pairs/ },
    {
      name: "an unknown role",
      change: { ASSAY_IDENTITY_ROLES: "admins=root" },
      says: /ASSAY_IDENTITY_ROLES must be/,
    },
    {
      name: "an unknown first role",
      change: { ASSAY_IDENTITY_DEFAULT_ROLE: "root" },
      says: /DEFAULT_ROLE must be/,
    },
    { name: "scopes without openid", change: { ASSAY_IDENTITY_SCOPES: "email" }, says: /openid among them/ },
    {
      name: "a secret without a client",
      change: {
        ASSAY_IDENTITY_CLIENT_ID: "",
        ASSAY_IDENTITY_AUDIENCE: "a",
        ASSAY_IDENTITY_CLIENT_SECRET: "s",
      },
      says: /ASSAY_IDENTITY_CLIENT_ID is missing: ASSAY_IDENTITY_CLIENT_SECRET needs it/,
    },
    {
      name: "an issuer that is no address",
      change: { ASSAY_IDENTITY_ISSUER: "id.example.org" },
      says: /ASSAY_IDENTITY_ISSUER must be an address/,
    },
    { name: "Clerk", change: { ASSAY_IDENTITY: "clerk" }, says: /Clerk signs people in itself/ },
  ])("refuses $name", ({ change, says }) => {
    expect(() => parseSettings({ ...oidc, ...change })).toThrow(says);
  });
});

const clerk = {
  ASSAY_IDENTITY: "clerk",
  ASSAY_IDENTITY_ISSUER: "https://clerk.example.org",
  ASSAY_IDENTITY_AUDIENCE: "assay",
};
const stripe = {
  ASSAY_BILLING_SECRET_KEY: "hunter2",
  ASSAY_BILLING_WEBHOOK_SECRET: "whsec_stripe",
  ASSAY_BILLING_PRICE_PRO: "price_pro",
  ASSAY_BILLING_PRICE_BUSINESS: "price_business",
};

test("Clerk's keys are found at its issuer; it needs neither webhooks nor an API key", () => {
  expect(parseSettings(clerk).identity).toEqual({
    kind: "clerk",
    issuer: "https://clerk.example.org",
    audience: "assay",
    jwksUrl: "https://clerk.example.org/.well-known/jwks.json",
    claims: DEFAULT_CLAIMS,
    client: null,
    webhookSecret: null,
    api: null,
  });
});

test.each([
  { set: { ...clerk, ASSAY_IDENTITY_ISSUER: "" }, missing: "ASSAY_IDENTITY_ISSUER" },
  { set: { ...clerk, ASSAY_IDENTITY_AUDIENCE: "" }, missing: "ASSAY_IDENTITY_AUDIENCE" },
  { set: { ...clerk, ASSAY_IDENTITY: "oidc" }, missing: "ASSAY_IDENTITY_JWKS_URL" },
  { set: { ...clerk, ASSAY_IDENTITY_API_URL: "https://h" }, missing: "ASSAY_IDENTITY_API_KEY" },
  { set: { ASSAY_JUDGE_URL: "http://h/v1" }, missing: "ASSAY_JUDGE_MODEL" },
  { set: { ASSAY_JUDGE_MODEL: "m" }, missing: "ASSAY_JUDGE_URL" },
  { set: { ASSAY_SMTP_URL: "smtp://h" }, missing: "ASSAY_SMTP_FROM" },
  { set: { ASSAY_SMTP_FROM: "a@x.org" }, missing: "ASSAY_SMTP_URL" },
  { set: { ASSAY_JUDGE_API_KEY: "k" }, missing: "ASSAY_JUDGE_URL" },
  ...Object.keys(stripe).map((missing) => ({ set: { ...stripe, [missing]: "" }, missing })),
])("$missing is asked for by the settings that need it", ({ set, missing }) => {
  expect(() => parseSettings(set)).toThrow(new RegExp(`^${missing} is missing: `));
});

test("an issuer of Clerk that is no address is named, not the address that is made of it", () => {
  expect(() => parseSettings({ ...clerk, ASSAY_IDENTITY_ISSUER: "clerk.example.org" })).toThrow(
    /^ASSAY_IDENTITY_ISSUER must be an address/,
  );
});

test("two plans cannot have one price", () => {
  const same = { ...stripe, ASSAY_BILLING_PRICE_BUSINESS: stripe.ASSAY_BILLING_PRICE_PRO };
  expect(() => parseSettings(same)).toThrow(
    /^ASSAY_BILLING_PRICE_PRO and ASSAY_BILLING_PRICE_BUSINESS name the same price: /,
  );
});

test("a judge of one's own machine needs no key", () => {
  const set = { ASSAY_JUDGE_URL: "http://127.0.0.1:11434/v1", ASSAY_JUDGE_MODEL: "qwen3" };
  expect(parseSettings(set).judge).toEqual({ url: set.ASSAY_JUDGE_URL, apiKey: null, model: "qwen3" });
});

test("plan limits are enforced where there is billing, unless the setting says otherwise", () => {
  expect(parseSettings({}).enforcePlanLimits).toBe(false);
  expect(parseSettings(stripe).enforcePlanLimits).toBe(true);
  expect(parseSettings({ ...stripe, ASSAY_ENFORCE_PLAN_LIMITS: "false" }).enforcePlanLimits).toBe(false);
});

test.each([
  { ASSAY_PORT: "http" },
  { ASSAY_PORT: "65536" },
  { ASSAY_PORT: "-1" },
  { ASSAY_ROLE: "worker" },
  { ASSAY_ROLE: "leader" },
  { ASSAY_IDENTITY: "auth0" },
  { ASSAY_IDENTITY_WEBHOOK_SECRET: "hunter2" },
  { ASSAY_IDENTITY_WEBHOOK_SECRET: "hunter2", ...clerk },
  { ASSAY_IDENTITY_JWKS_URL: "ftp://x", ...clerk },
  { ASSAY_IDENTITY_API_KEY: "hunter2" },
  { ASSAY_BILLING_API_URL: "localhost", ...stripe },
  { ASSAY_ALERTS_PRIVATE_ADDRESSES: "true" },
  { ASSAY_SMTP_URL: "http://u:hunter2@h", ASSAY_SMTP_FROM: "a@x.org" },
  { ASSAY_SMTP_FROM: "Assay", ASSAY_SMTP_URL: "smtp://h" },
  { ASSAY_JUDGE_URL: "judge:hunter2", ASSAY_JUDGE_MODEL: "m" },
  { ASSAY_JUDGE_URL: "http://u:hunter2@h/v1", ASSAY_JUDGE_MODEL: "m" },
  { ASSAY_JUDGE_URL: "http://h/v1?key=hunter2", ASSAY_JUDGE_MODEL: "m" },
  { ASSAY_TRUSTED_PROXIES: "10.0.0.0/33" },
  { ASSAY_TRUSTED_PROXIES: "proxy.example.org" },
  { ASSAY_TRUSTED_PROXIES: "10.0.0.1/8/8" },
  { ASSAY_RATE_CONTACT_PER_HOUR: "0" },
  { ASSAY_DATABASE_URL: "mysql://u:hunter2@h/db" },
  { ASSAY_EVENTS_URL: "h:8123" },
  { ASSAY_MASTER_KEY: "c2hvcnQ=" },
  { ASSAY_PLATFORM_OWNER_EMAILS: "nobody" },
  { ASSAY_NIGHTLY_AT: "24:00" },
  { ASSAY_ENFORCE_PLAN_LIMITS: "yes" },
  { ASSAY_RATE_ASSIGN_PER_SECOND: "0" },
  { ASSAY_RATE_EVENTS_PER_SECOND: "1.5" },
  { ASSAY_RATE_PUBLIC_ROWS_PER_SECOND: "many" },
  { ASSAY_RATE_CONFIG_PER_SECOND: "-1" },
  { ASSAY_RATE_BYTES_PER_SECOND: "1 MiB" },
  { ASSAY_PUBLIC_ALLOWANCE_SHARE: "80%" },
  { ASSAY_PUBLIC_ALLOWANCE_SHARE: "1.1" },
  { ASSAY_PUBLIC_ALLOWANCE_SHARE: "-0.1" },
  { ASSAY_RATE_BUSINESS_EVENTS_PER_SECOND: "none" },
  { ASSAY_RATE_IMPORT_PER_MINUTE: "1e3" },
  { ASSAY_NIGTHLY_AT: "00:15" },
  { ASSAY_QUEUE_URL: "http://h" },
])("%j stops start-up with one line that names the setting and not its secrets", (env) => {
  const read = () => parseSettings(env);
  expect(read).toThrow(SettingsError);
  const name = Object.keys(env)[0];
  expect(read).toThrow(new RegExp(`^${name}[^\n]+$`));
  expect(read).not.toThrow(/hunter2/);
});

test("the client libraries' own settings and other programs' are none of ours", () => {
  expect(() => parseSettings({ ASSAY_API_KEY: "k", ASSAY_BASE_URL: "u", PATH: "/bin" })).not.toThrow();
});

test("every setting is listed once, with a meaning", () => {
  const names = SETTINGS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { meaning } of SETTINGS) expect(meaning).not.toBe("");
});

test.each([
  ["127.0.0.1", "http://127.0.0.1:80"],
  ["0.0.0.0", "http://127.0.0.1:80"],
  ["::1", "http://[::1]:80"],
])("a service on %s is reached at %s", (host, url) => {
  expect(serviceUrl({ host, port: 80 })).toBe(url);
});

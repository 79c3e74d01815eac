import { isAbsolute } from "node:path";
import { expect, test } from "vitest";
import { parseSettings, SETTINGS, SettingsError, serviceUrl } from "./settings.ts";

test("an empty environment gives the documented defaults", () => {
  expect(parseSettings({})).toMatchObject({
    host: "127.0.0.1",
    port: 8787,
    databaseUrl: null,
    eventsUrl: null,
    masterKey: null,
    platformOwnerEmails: null,
    enforcePlanLimits: false,
    nightlyAtMinutes: 15,
    rateLimits: {
      assignPerSecond: 2_000,
      eventsPerSecond: 1_000,
      configPerSecond: 1_000,
      businessEventsPerSecond: 1_000,
      importPerMinute: 10,
    },
  });
  expect(isAbsolute(parseSettings({}).dataDir)).toBe(true);
});

test("an empty value is no value", () => {
  expect(parseSettings({ ASSAY_PORT: "", ASSAY_DATABASE_URL: "" })).toEqual(parseSettings({}));
});

test("every setting is read", () => {
  const key = Buffer.alloc(32, 7);
  const settings = parseSettings({
    ASSAY_HOST: "0.0.0.0",
    ASSAY_PORT: "0",
    ASSAY_DATA_DIR: "/data",
    ASSAY_ROLE: "all",
    ASSAY_DATABASE_URL: "postgres://u:p@h/db",
    ASSAY_EVENTS_URL: "http://h:8123",
    ASSAY_MASTER_KEY: key.toString("base64"),
    ASSAY_IDENTITY: "local",
    ASSAY_PLATFORM_OWNER_EMAILS: "A@x.org, b@x.org",
    ASSAY_ENFORCE_PLAN_LIMITS: "true",
    ASSAY_NIGHTLY_AT: "23:59",
    ASSAY_RATE_ASSIGN_PER_SECOND: "1",
    ASSAY_RATE_EVENTS_PER_SECOND: "2",
    ASSAY_RATE_CONFIG_PER_SECOND: "3",
    ASSAY_RATE_BUSINESS_EVENTS_PER_SECOND: "4",
    ASSAY_RATE_IMPORT_PER_MINUTE: "5",
  });
  expect(settings).toEqual({
    host: "0.0.0.0",
    port: 0,
    dataDir: "/data",
    databaseUrl: "postgres://u:p@h/db",
    eventsUrl: "http://h:8123",
    masterKey: key,
    platformOwnerEmails: ["a@x.org", "b@x.org"],
    enforcePlanLimits: true,
    nightlyAtMinutes: 1439,
    rateLimits: {
      assignPerSecond: 1,
      eventsPerSecond: 2,
      configPerSecond: 3,
      businessEventsPerSecond: 4,
      importPerMinute: 5,
    },
  });
});

test.each([
  { ASSAY_PORT: "http" },
  { ASSAY_PORT: "65536" },
  { ASSAY_PORT: "-1" },
  { ASSAY_ROLE: "worker" },
  { ASSAY_IDENTITY: "clerk" },
  { ASSAY_DATABASE_URL: "mysql://u:hunter2@h/db" },
  { ASSAY_EVENTS_URL: "h:8123" },
  { ASSAY_MASTER_KEY: "c2hvcnQ=" },
  { ASSAY_PLATFORM_OWNER_EMAILS: "nobody" },
  { ASSAY_NIGHTLY_AT: "24:00" },
  { ASSAY_ENFORCE_PLAN_LIMITS: "yes" },
  { ASSAY_RATE_ASSIGN_PER_SECOND: "0" },
  { ASSAY_RATE_EVENTS_PER_SECOND: "1.5" },
  { ASSAY_RATE_CONFIG_PER_SECOND: "-1" },
  { ASSAY_RATE_BUSINESS_EVENTS_PER_SECOND: "none" },
  { ASSAY_RATE_IMPORT_PER_MINUTE: "1e3" },
  { ASSAY_NIGTHLY_AT: "00:15" },
  { ASSAY_QUEUE_URL: "nats://h" },
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

import type { LookupFunction } from "node:net";
import { describe, expect, test } from "vitest";
import { startAlertReceiver } from "../test-support/alert-receiver.ts";
import { createAddressGuard, isPublicAddress, RefusedAddress } from "./address-guard.ts";
import { postMessage } from "./post-message.ts";

const PRIVATE = [
  "0.0.0.0",
  "10.0.0.1",
  "100.64.0.1",
  "100.100.100.200",
  "127.0.0.1",
  "127.255.255.254",
  "168.63.129.16",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.192",
  "192.0.2.1",
  "192.168.1.1",
  "198.18.0.1",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::ffff:127.0.0.1",
  "::ffff:10.0.0.1",
  "::ffff:a9fe:a9fe",
  "::127.0.0.1",
  "64:ff9b::7f00:1",
  "64:ff9b:1::a00:1",
  "100::1",
  "2001::1",
  "2001:db8::1",
  "2002:7f00:1::",
  "fc00::1",
  "fd00:ec2::254",
  "fe80::1",
  "fe80::1%eth0",
  "fec0::1",
  "ff02::1",
  "no address",
];
const PUBLIC = [
  "8.8.8.8",
  "93.184.216.34",
  "172.32.0.1",
  "100.128.0.1",
  "2606:4700:4700::1111",
  "::ffff:8.8.8.8",
];

/** Answers each look-up with the next of the lists. */
function resolverOf(...answers: readonly (readonly string[])[]): LookupFunction {
  let asked = 0;
  return (_host, _options, done) => {
    const addresses = answers[Math.min(asked, answers.length - 1)] ?? [];
    asked += 1;
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );
  };
}

const failing: LookupFunction = (_host, _options, done) =>
  done(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }), []);

describe("an address is", () => {
  test.each(PRIVATE)("not public: %s", (address) => expect(isPublicAddress(address)).toBe(false));
  test.each(PUBLIC)("public: %s", (address) => expect(isPublicAddress(address)).toBe(true));
});

describe("a channel's address is refused", () => {
  const guard = createAddressGuard({ allowsPrivate: false }, resolverOf(["8.8.8.8"]));
  test.each([
    ["http://example.com/", "must start with https://"],
    ["ftp://example.com/", "must start with https://"],
    ["file:///etc/passwd", "must start with https://"],
    ["https://user@example.com/", "must not contain a user"],
    ["https://:password@example.com/", "must not contain a user"],
    ["https://127.0.0.1/", "ASSAY_ALERTS_PRIVATE_ADDRESSES=allow"],
    ["https://2130706433/", "ASSAY_ALERTS_PRIVATE_ADDRESSES=allow"],
    ["https://0x7f.1/", "ASSAY_ALERTS_PRIVATE_ADDRESSES=allow"],
    ["https://0177.0.0.1/", "ASSAY_ALERTS_PRIVATE_ADDRESSES=allow"],
    ["https://127.1/", "ASSAY_ALERTS_PRIVATE_ADDRESSES=allow"],
    ["https://１２７.0.0.1/", "ASSAY_ALERTS_PRIVATE_ADDRESSES=allow"],
    ["https://[::1]/", "ASSAY_ALERTS_PRIVATE_ADDRESSES=allow"],
    ["https://[::ffff:127.0.0.1]/", "ASSAY_ALERTS_PRIVATE_ADDRESSES=allow"],
    ["https://169.254.169.254/latest/meta-data/", "ASSAY_ALERTS_PRIVATE_ADDRESSES=allow"],
  ])("%s", async (url, reason) => {
    expect(() => guard.check(new URL(url))).toThrow(reason);
    await expect(guard.resolve(new URL(url))).rejects.toThrow(RefusedAddress);
  });

  test.each([
    [
      "by any of its addresses",
      resolverOf(["8.8.8.8", "10.0.0.1"]),
      "is not an address of the public internet",
    ],
    ["by its IPv6 address", resolverOf(["::1"]), "is not an address of the public internet"],
    ["without addresses", resolverOf([]), "is not an address of the public internet"],
    ["that does not exist", failing, "cannot be resolved"],
  ])("for a name %s", async (_name, resolver, reason) => {
    const named = createAddressGuard({ allowsPrivate: false }, resolver);
    await expect(named.resolve(new URL("https://hook.example.com/"))).rejects.toThrow(reason);
  });

  test("but a public one is not, and with the setting neither are private ones", async () => {
    await guard.resolve(new URL("https://hook.example.com/"));
    await guard.resolve(new URL("https://8.8.8.8/"));
    const open = createAddressGuard({ allowsPrivate: true }, failing);
    for (const url of ["http://127.0.0.1:8080/", "http://intranet/", "https://[::1]/"])
      await open.resolve(new URL(url));
    expect(() => open.check(new URL("ftp://127.0.0.1/"))).toThrow("https://");
  });
});

describe("a connection", () => {
  test("goes nowhere when the name resolves otherwise the second time", async () => {
    const receiver = await startAlertReceiver();
    const guard = createAddressGuard({ allowsPrivate: false }, resolverOf(["93.184.216.34"], ["127.0.0.1"]));
    const url = `https://rebound.example.com:${receiver.port}/`;
    await guard.resolve(new URL(url));
    const attempt = await postMessage({ url, headers: {}, body: "{}" }, guard);
    expect(attempt).toEqual({
      ...{ isDelivered: false, code: null },
      answer: expect.stringContaining("rebound.example.com is not an address of the public internet"),
    });
    expect(receiver.received).toEqual([]);
    await receiver.close();
  });

  test("goes to the address that was looked up, and looks up once", async () => {
    const receiver = await startAlertReceiver();
    const lookups: string[] = [];
    const resolver: LookupFunction = (host, _options, done) => {
      lookups.push(host);
      done(null, [{ address: "127.0.0.1", family: 4 }]);
    };
    const guard = createAddressGuard({ allowsPrivate: true }, resolver);
    const url = `http://anywhere.example.com:${receiver.port}/hook`;
    expect(await postMessage({ url, headers: {}, body: "{}" }, guard)).toMatchObject({ code: 204 });
    expect(lookups).toEqual(["anywhere.example.com"]);
    expect(receiver.received[0]?.headers.host).toBe(`anywhere.example.com:${receiver.port}`);
    await receiver.close();
  });

  test("by an IP address is refused without a look-up", async () => {
    const guard = createAddressGuard({ allowsPrivate: false }, failing);
    const attempt = await postMessage({ url: "https://[::ffff:10.0.0.1]/", headers: {}, body: "" }, guard);
    expect(attempt.answer).toContain("ASSAY_ALERTS_PRIVATE_ADDRESSES=allow");
  });
});

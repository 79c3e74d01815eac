import { lookup as systemLookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";

/** A public address that only the machines of one cloud can reach. It answers with their metadata. */
const METADATA: ReadonlySet<string> = new Set(["168.63.129.16"]);

/** An address that alerts may not go to. The message says what to do. */
export class RefusedAddress extends Error {
  override readonly name = "RefusedAddress";
}

const SETTING = "ASSAY_ALERTS_PRIVATE_ADDRESSES=allow";

/**
 * Whether an IP address is on the public internet: not private, loopback, link-local, shared, multicast or reserved,
 * and not an IPv6 form of an IPv4 address.
 */
export function isPublicAddress(address: string): boolean {
  const [bare = ""] = address.split("%");
  if (!ipaddr.isValid(bare)) return false;
  const parsed = ipaddr.process(bare);
  return parsed.range() === "unicast" && !METADATA.has(parsed.toString());
}

export interface AddressGuard {
  /** Throws `RefusedAddress` unless alerts may go to this http(s) address, as far as its text shows. */
  check(url: URL): void;
  /** Does the same, and resolves the host. */
  resolve(url: URL): Promise<void>;
  /** Resolves hosts for connections, so that they go to the addresses that were checked. */
  readonly lookup: LookupFunction;
}

/** Makes the guard for channels' addresses. `resolver` looks up names. */
export function createAddressGuard(
  { allowsPrivate }: { readonly allowsPrivate: boolean },
  resolver: LookupFunction = systemLookup as LookupFunction,
): AddressGuard {
  const refusalOf = (host: string) =>
    new RefusedAddress(
      `${host} is not an address of the public internet. To send alerts inside your network, set ${SETTING}.`,
    );

  function check({ protocol, hostname, username, password }: URL): void {
    if (protocol !== "https:" && protocol !== "http:")
      throw new RefusedAddress("The address must start with https://.");
    if (username !== "" || password !== "")
      throw new RefusedAddress("The address must not contain a user or a password.");
    if (allowsPrivate) return;
    if (protocol === "http:")
      throw new RefusedAddress(
        `The address must start with https://. To allow http:// inside your network, set ${SETTING}.`,
      );
    const host = hostOf(hostname);
    // Connections to an IP address look nothing up.
    if (isIP(host) !== 0 && !isPublicAddress(host)) throw refusalOf(host);
  }

  const lookup: LookupFunction = (host, options, done) => {
    resolver(host, { ...options, all: true }, (error, found) => {
      if (error !== null) return done(error, []);
      const addresses = found as unknown as readonly { readonly address: string; readonly family: number }[];
      const isRefused = !allowsPrivate && !addresses.every(({ address }) => isPublicAddress(address));
      const [first] = addresses;
      if (isRefused || first === undefined) return done(refusalOf(host), []);
      if (options.all) done(null, [...addresses]);
      else done(null, first.address, first.family);
    });
  };

  return {
    check,
    lookup,
    async resolve(url) {
      check(url);
      const host = hostOf(url.hostname);
      if (isIP(host) !== 0 || allowsPrivate) return;
      await new Promise<void>((resolve, reject) => {
        lookup(host, { all: true }, (error) => {
          if (error === null) resolve();
          else if (error instanceof RefusedAddress) reject(error);
          else reject(new RefusedAddress(`The name ${host} cannot be resolved.`));
        });
      });
    },
  };
}

/** The host without the brackets of an IPv6 address. */
const hostOf = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, "$1");

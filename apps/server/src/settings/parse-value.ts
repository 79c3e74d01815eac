import { isIP } from "node:net";
import { StartupError } from "@assay/domain";

/** A start-up error whose one-line message names the setting and the rule. */
export class SettingsError extends StartupError {
  override readonly name = "SettingsError";
}

/** Reads one setting; undefined when it is not set or empty. */
export type ReadSetting = (name: string) => string | undefined;

/** Reads one of the allowed words. */
export function parseChoice<T extends string>(name: string, value: string, allowed: readonly T[]): T {
  const choice = allowed.find((one) => one === value);
  if (choice !== undefined) return choice;
  throw new SettingsError(`${name} must be ${allowed.join(" or ")}, not "${value}".`);
}

/** Reads true or false. */
export function parseFlag(name: string, text: string): boolean {
  if (text === "true" || text === "false") return text === "true";
  throw new SettingsError(`${name} must be true or false, not "${text}".`);
}

/** Reads an address with one of the protocols, each given with its colon. */
export function parseUrl(name: string, text: string, protocols: readonly string[]): string {
  const url = URL.parse(text);
  if (url && protocols.includes(url.protocol)) return text;
  // The value is not repeated, because a database address contains its password.
  throw new SettingsError(
    `${name} must be an address that starts with ${protocols.map((p) => `${p}//`).join(" or ")}.`,
  );
}

/** Reads a positive whole number. */
export function parseCount(name: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new SettingsError(`${name} must be a whole number from 1 to 999999999, not "${text}".`);
}

/** Reads a number from 0 to 1. */
export function parseShare(name: string, text: string): number {
  if (/^(0(\.\d{1,6})?|1(\.0{1,6})?)$/.test(text)) return Number(text);
  throw new SettingsError(`${name} must be a number from 0 to 1, such as 0.8, not "${text}".`);
}

/** Reads IP addresses and networks (`10.0.0.0/8`), separated by commas. */
export function parseNetworks(name: string, text: string): readonly string[] {
  const networks = text.split(",").map((network) => network.trim());
  if (networks.every(isNetwork)) return networks;
  throw new SettingsError(
    `${name} must be IP addresses or networks such as 10.0.0.0/8, separated by commas, not "${text}".`,
  );
}

function isNetwork(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

/** Reads a required setting; `why` names what needs it. */
export function required(name: string, why: string, read: ReadSetting): string {
  const value = read(name);
  if (value === undefined) throw new SettingsError(`${name} is missing: ${why} needs it.`);
  return value;
}

/** Reads an http(s) address without a path, and returns its origin. */
export function parseOrigin(name: string, text: string): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin;
  throw new SettingsError(
    `${name} must be an address such as https://assay.example.com, without a path, not "${text}".`,
  );
}

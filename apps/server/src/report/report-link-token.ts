import type { ReportLink } from "@assay/domain";
import type { Sealer } from "../data-folder/seal.ts";
import { isSameSecret } from "../is-same-secret.ts";

const TOKEN = /^([0-9a-f-]{36})\.([0-9a-f]{64})$/;

/** Makes the token of a link: its id, signed together with what it shows and until when. */
export function tokenOfLink(link: ReportLink, sealer: Pick<Sealer, "fingerprint">): string {
  return `${link.id}.${signatureOf(link, sealer)}`;
}

/** Reads the id from a token; null when it is malformed. Nothing is verified. */
export function idOfToken(token: string): string | null {
  return TOKEN.exec(token)?.[1] ?? null;
}

/** Returns whether a token is the one of this link, in constant time. */
export function isTokenOf(link: ReportLink, token: string, sealer: Pick<Sealer, "fingerprint">): boolean {
  return isSameSecret(Buffer.from(token), Buffer.from(tokenOfLink(link, sealer)));
}

function signatureOf(
  { id, orgId, experimentId, expiresAt }: ReportLink,
  { fingerprint }: Pick<Sealer, "fingerprint">,
): string {
  return fingerprint(JSON.stringify(["report-link", id, orgId, experimentId, expiresAt]));
}

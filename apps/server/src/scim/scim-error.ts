/** SCIM's error answer for a request that cannot be served (RFC 7644, 3.12). */
export class ScimError extends Error {
  readonly status: number;
  readonly scimType: string | null;

  constructor(status: number, detail: string, scimType: string | null = null) {
    super(detail);
    this.name = "ScimError";
    this.status = status;
    this.scimType = scimType;
  }
}

/** Builds the error for a value that cannot be stored. */
export function invalidValue(detail: string): ScimError {
  return new ScimError(400, detail, "invalidValue");
}

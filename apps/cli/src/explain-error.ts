import { DomainError, StartupError } from "@assay/domain";
import { CommandError } from "./command-error.ts";

const DENIED: ReadonlySet<unknown> = new Set(["EACCES", "EPERM", "EROFS"]);

/** Describes an error: in one line if the reader can fix it, otherwise with the stack. */
export function explainError(error: unknown): string {
  if (error instanceof StartupError || error instanceof DomainError || error instanceof CommandError)
    return error.message;
  if (!(error instanceof Error)) return String(error);
  const { code, path } = error as NodeJS.ErrnoException;
  if (DENIED.has(code) && path !== undefined)
    return `This user may not use ${path} (${code}): change its owner or mode, or run as another user.`;
  return error.stack ?? error.message;
}

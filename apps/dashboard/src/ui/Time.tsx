import { ago, local, utc } from "../format/times.ts";

/** An instant in UTC, with local time on hover. */
export function Time({ at, isRelative = false }: { readonly at: string; readonly isRelative?: boolean }) {
  return (
    <time dateTime={at} title={`${utc(at)} · ${local(at)}`}>
      {isRelative ? ago(at, Date.now()) : utc(at)}
    </time>
  );
}

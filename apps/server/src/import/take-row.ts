import { isUtf8 } from "node:buffer";
import { JSON_LIMITS, measureJson } from "@assay/domain";
import { NOT_UTF8, type RowSink } from "./row-reader.ts";

/**
 * Passes on a row's JSON unchanged, or reports that it is not JSON. The parser's message quotes the row to its sender.
 */
export function takeRow(bytes: Buffer, line: number, sink: RowSink): void {
  if (!isUtf8(bytes)) {
    sink.fault(line, NOT_UTF8);
    return;
  }
  const { excess } = measureJson(bytes, JSON_LIMITS);
  if (excess !== null) {
    sink.fault(line, `The row ${excess}`);
    return;
  }
  const json = bytes.toString("utf8").trim();
  if (json === "") return;
  const fault = faultOf(json);
  if (fault === null) sink.row(json, line);
  else sink.fault(line, `The row is not JSON: ${fault}`);
}

function faultOf(json: string): string | null {
  try {
    JSON.parse(json);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

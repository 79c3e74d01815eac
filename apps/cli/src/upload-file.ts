import { createReadStream } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { pipeline, Transform } from "node:stream";
import { text } from "node:stream/consumers";
import { explainSilence } from "./api.ts";
import { CommandError } from "./command-error.ts";
import type { ImportSource } from "./import-source.ts";

interface Upload {
  readonly url: string;
  readonly key: string;
  /** Called with the size of each piece that was sent. */
  readonly onSent: (bytes: number) => void;
}

interface UploadAnswer {
  readonly status: number;
  readonly body: string;
}

/** Streams a file to an address and returns the response. Throws a `CommandError` without a response. */
export async function uploadFile(
  { path, headers }: ImportSource,
  { url, key, onSent }: Upload,
): Promise<UploadAnswer> {
  const sent = request(url, { method: "POST", headers: { ...headers, "x-api-key": key }, agent: false });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    sent.on("response", resolve);
    // A stream that ends without a response fails the request, too.
    pipeline(createReadStream(path), counted(onSent), sent, (error) => {
      if (error) reject(error);
    });
  });
  try {
    const answer = await answered;
    return { status: answer.statusCode ?? 0, body: await text(answer) };
  } catch (error) {
    throw new CommandError(explain(error as NodeJS.ErrnoException, url));
  } finally {
    // An error response may arrive before the whole file is sent.
    sent.destroy();
  }
}

function counted(onSent: (bytes: number) => void): Transform {
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      onSent(piece.length);
      done(null, piece);
    },
  });
}

function explain({ code, message }: NodeJS.ErrnoException, url: string): string {
  if (code === "ECONNREFUSED") return explainSilence(url);
  return `The import was interrupted (${message}). Events accepted so far stay; sending the file again is safe.`;
}

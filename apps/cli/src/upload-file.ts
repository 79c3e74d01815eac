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
  /** Told of every piece that the service has taken. */
  readonly onSent: (bytes: number) => void;
}

interface UploadAnswer {
  readonly status: number;
  readonly body: string;
}

/** Streams a file to an address and returns the answer. Throws a `CommandError` when none comes. */
export async function uploadFile(
  { path, headers }: ImportSource,
  { url, key, onSent }: Upload,
): Promise<UploadAnswer> {
  const sent = request(url, { method: "POST", headers: { ...headers, "x-api-key": key }, agent: false });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    sent.on("response", resolve);
    // What ends the stream without an answer fails the request, too.
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
    // A refusal may come before the whole file is sent.
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
  return `The import broke off (${message}). What the service had accepted stays; sending the file again is safe.`;
}

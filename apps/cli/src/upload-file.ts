import { createReadStream } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { pipeline, Transform } from "node:stream";
import { text } from "node:stream/consumers";
import { explainSilence } from "./api.ts";
import { CommandError } from "./command-error.ts";
import type { ImportSource } from "./import-source.ts";

interface Upload {
  readonly url: string;
  readonly credential: Readonly<Record<string, string>>;
  /** Tells the user what happened to an interrupted upload and what to do. */
  readonly afterInterruption: string;
  /** Called with the size of each chunk that was sent. */
  readonly onSent: (bytes: number) => void;
}

interface UploadAnswer {
  readonly status: number;
  readonly body: string;
}

/** Streams a file to an address and returns the response. Throws a `CommandError` if no response arrives. */
export async function uploadFile(
  { path, headers }: ImportSource,
  { url, credential, afterInterruption, onSent }: Upload,
): Promise<UploadAnswer> {
  const sent = request(url, { method: "POST", headers: { ...headers, ...credential }, agent: false });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    sent.on("response", resolve);
    // A stream that ends without a response also fails the request.
    pipeline(createReadStream(path), counted(onSent), sent, (error) => {
      if (error) reject(error);
    });
  });
  try {
    const answer = await answered;
    return { status: answer.statusCode ?? 0, body: await text(answer) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ECONNREFUSED") throw new CommandError(explainSilence(url));
    throw new CommandError(`The upload was interrupted (${message}). ${afterInterruption}`);
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

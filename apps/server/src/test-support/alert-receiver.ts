import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";

/** A message as it arrived. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Monotonic, milliseconds. */
  readonly at: number;
}

type Answer = (response: ServerResponse, received: Received) => void;

export interface AlertReceiver {
  readonly url: string;
  readonly port: number;
  readonly received: Received[];
  /** Sets how messages to a path are answered; 204 unless set. */
  answer(path: string, answer: Answer): void;
  /** The messages to a path. */
  at(path: string): readonly Received[];
  close(): Promise<void>;
}

/** Starts a real HTTP server that keeps what it receives. */
export async function startAlertReceiver(): Promise<AlertReceiver> {
  const received: Received[] = [];
  const answers = new Map<string, Answer>();
  const server = createServer((request, response) => {
    void read(request).then((text) => {
      const message = { path: request.url ?? "", headers: request.headers, text, at: performance.now() };
      received.push(message);
      const answer = answers.get(message.path);
      if (answer !== undefined) return answer(response, message);
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    received,
    answer: (path, answer) => void answers.set(path, answer),
    at: (path) => received.filter((message) => message.path === path),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

/** Verifies a message as a receiver does, with the library of Standard Webhooks; throws unless it is signed with the secret. */
export function verified({ text, headers }: Received, secret: string): { readonly type: string } {
  return new Webhook(secret).verify(text, headers as Record<string, string>) as { readonly type: string };
}

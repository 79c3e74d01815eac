import type { CallRecord } from "./call-record.ts";
import { fieldAt, hasMethod } from "./foreign-value.ts";

type Method = (...args: unknown[]) => unknown;
type Stream = Record<string | symbol, Method>;

/** The promise of the OpenAI and Anthropic libraries: it parses the response when it is first asked for the result. */
interface ApiPromise {
  responsePromise: Promise<unknown>;
  parseResponse: Method;
  asResponse: () => Promise<unknown>;
  /** Makes a promise of what the function makes of the result. */
  _thenUnwrap?: Method;
}

/**
 * Watches the result of a call until it ends, and returns it. A promise of the provider's own class and a stream stay
 * the very object, which has been made for this one call; any other promise is followed by one that settles alike.
 */
export function observeResult<T>(result: T, call: CallRecord): T;
export function observeResult(result: unknown, call: CallRecord): unknown {
  if (hasMethod(result, "parseResponse")) return observeApiPromise(result as ApiPromise, call);
  if (!hasMethod(result, "then")) return observeValue(result, call);
  return (result as Promise<unknown>).then((value) => observeValue(value, call), call.fail);
}

/** A derived promise would lose the class, its methods and its laziness. All its ways to the result pass these. */
function observeApiPromise(promise: ApiPromise, call: CallRecord): ApiPromise {
  const { responsePromise, parseResponse, asResponse } = promise;
  let isParsing = false;
  promise.responsePromise = responsePromise.catch(call.fail);
  promise.parseResponse = (...args) => {
    isParsing = true;
    return observeResult(parseResponse.apply(promise, args), call);
  };
  promise.asResponse = async () => {
    const response = await asResponse.apply(promise);
    // Nothing more is learnt of a body that the caller reads.
    if (!isParsing) call.finish();
    return response;
  };
  // Some versions have one of the promise's own, which goes past the above; that of the class does not.
  delete promise._thenUnwrap;
  return promise;
}

function observeValue(value: unknown, call: CallRecord): unknown {
  if (hasMethod(value, "getReader")) return observeReadable(value as ReadableStream<unknown>, call);
  if (Symbol.asyncIterator in Object(value)) observeStream(value as Stream, call);
  else call.finishWith(value);
  return value;
}

/**
 * Watches the parts go by as they are asked for: none is read ahead, and a cancel or an error passes on to the other side.
 */
function observeReadable(stream: ReadableStream<unknown>, call: CallRecord): ReadableStream<unknown> {
  const reader = stream.getReader();
  const parts = { next: () => reader.read(), return: (reason: unknown) => reader.cancel(reason) };
  const watched = watch(parts, stream, call) as typeof parts;
  return new ReadableStream<unknown>(
    {
      pull: async (controller) => {
        const { done, value } = await watched.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: watched.return,
    },
    { highWaterMark: 0 },
  );
}

/** The methods are replaced on this one stream: its class, and what else it can do, stay. */
function observeStream(stream: Stream, call: CallRecord): void {
  // The streams of OpenAI and Anthropic read `iterator` for whatever they do, `tee` and `toReadableStream` included.
  const opener = stream.iterator ? "iterator" : Symbol.asyncIterator;
  const open = stream[opener];
  if (stream.next) watch(stream, stream, call);
  else stream[opener] = (...args) => watch(open?.apply(stream, args) as Stream, stream, call);
}

function watch(iterator: Stream, stream: object, call: CallRecord): Stream {
  const { next } = iterator;
  // `for await` takes steps that are no promises as well.
  const advance = (...args: unknown[]) =>
    Promise.resolve(next?.apply(iterator, args) as IteratorResult<unknown>).then(take, call.fail);
  const take = (step: IteratorResult<unknown>): unknown => {
    if (step.done) call.finish(fieldAt(stream, "controller", "signal", "aborted") === true);
    // The chunk that the caller must not see: the next one in its place.
    else if (call.takeChunk(step.value)) return advance();
    return step;
  };
  iterator.next = advance;
  for (const name of ["return", "throw"]) {
    const leave = iterator[name];
    if (!leave) continue;
    iterator[name] = (...args) => {
      call.finish(true);
      return leave.apply(iterator, args);
    };
  }
  return iterator;
}

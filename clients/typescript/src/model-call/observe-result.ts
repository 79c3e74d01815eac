import type { CallRecord } from "./call-record.ts";
import { fieldAt, hasMethod } from "./foreign-value.ts";

type Method = (...args: unknown[]) => unknown;
type Stream = Record<string | symbol, Method>;

/**
 * The promise of the OpenAI and Anthropic libraries. It parses the response when the result is first
 * requested.
 */
interface ApiPromise {
  responsePromise: Promise<unknown>;
  parseResponse: Method;
  asResponse: () => Promise<unknown>;
  /** Returns a promise of the function's result. */
  _thenUnwrap?: Method;
}

/**
 * Watches the result of a call until it ends, and returns it. A promise of the provider's own class, or a
 * stream, is returned as the same object, since it was made for this one call. For any other promise, returns
 * a new one that settles the same way.
 */
export function observeResult<T>(result: T, call: CallRecord, retry?: Retry): T;
export function observeResult(result: unknown, call: CallRecord, retry: Retry = call.fail): unknown {
  if (hasMethod(result, "parseResponse")) return observeApiPromise(result as ApiPromise, call, retry);
  if (!hasMethod(result, "then")) return observeValue(result, call);
  const observe = (value: unknown) => observeValue(value, call);
  return (result as Promise<unknown>).then(observe, (error) =>
    Promise.resolve(retry(error)).then(observe, call.fail),
  );
}

/** Makes the call again if that can help after this error. Otherwise records the failure and rethrows the error. */
type Retry = (error: unknown) => unknown;

/**
 * A derived promise would lose the class, its methods and its laziness. So these methods are replaced: every access to
 * the result goes through them.
 */
function observeApiPromise(promise: ApiPromise, call: CallRecord, retry: Retry): ApiPromise {
  const { responsePromise, parseResponse, asResponse } = promise;
  let isParsing = false;
  promise.responsePromise = responsePromise.catch((error) =>
    (retry(error) as ApiPromise).responsePromise.catch(call.fail),
  );
  promise.parseResponse = (...args) => {
    isParsing = true;
    return observeResult(parseResponse.apply(promise, args), call);
  };
  promise.asResponse = async () => {
    const response = await asResponse.apply(promise);
    // A body that the caller reads is not observed.
    if (!isParsing) call.finish();
    return response;
  };
  // In some versions, the promise has its own method, which bypasses the ones above. The class's method does not.
  delete promise._thenUnwrap;
  return promise;
}

function observeValue(value: unknown, call: CallRecord): unknown {
  if (hasMethod(value, "getReader")) return observeReadable(value as ReadableStream<unknown>, call);
  if (hasMethod(value, Symbol.asyncIterator)) observeStream(value as Stream, call);
  else call.finishWith(value);
  return value;
}

/**
 * Watches the parts as they are requested. Never reads ahead; passes a cancel or an error on to the other side.
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

/** Replaces methods on this one stream only. Its class and its other methods stay. */
function observeStream(stream: Stream, call: CallRecord): void {
  // The streams of OpenAI and Anthropic use `iterator` for everything, including `tee` and `toReadableStream`.
  const opener = stream.iterator ? "iterator" : Symbol.asyncIterator;
  const open = stream[opener];
  if (stream.next) watch(stream, stream, call);
  else stream[opener] = (...args) => watch(open?.apply(stream, args) as Stream, stream, call);
}

function watch(iterator: Stream, stream: object, call: CallRecord): Stream {
  const { next } = iterator;
  // `for await` also accepts steps that are not promises.
  const advance = (...args: unknown[]) =>
    Promise.resolve(next?.apply(iterator, args) as IteratorResult<unknown>).then(take, call.fail);
  const take = (step: IteratorResult<unknown>): unknown => {
    if (step.done) call.finish(fieldAt(stream, "controller", "signal", "aborted"));
    // The caller must not see this chunk, so return the next one.
    else if (call.take(step.value)) return advance();
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

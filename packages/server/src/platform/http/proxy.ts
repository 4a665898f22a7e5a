import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  request,
  type ServerResponse,
} from "node:http";
import { responseHeaders, closesConnection, hasBody, requestHeaders } from "./proxy-headers.ts";

export interface ProxyOptions {
  /** The Unix socket of the server behind. */
  socketPath: string;
  /** Answers where that server can't be reached: nothing of the request has got there. */
  sendUnavailable(request: IncomingMessage, response: ServerResponse): void;
  /** Answers where that server was lost over the request, which it may have carried out. */
  sendConnectionLost(request: IncomingMessage, response: ServerResponse): void;
  /** For how long a request waits for a server that is away, in ms; 2,000 unless told. */
  maxWaitMs?: number;
  /** How many requests may wait for it; 64 unless told. */
  maxWaiting?: number;
}

export interface Proxy {
  /** Passes a request on, and the answer back. `isPatient` is whether it may wait for a server that is away. */
  forward(request: IncomingMessage, response: ServerResponse, isPatient: boolean): void;
  /** Lets nobody wait any more for a server that is away: this one ends, too. */
  close(): void;
}

/** Between two attempts to reach a server that is away, in ms. */
const retryMs = 50;
/** Connections without a request end well before the server behind ends them, ms. */
const idleMs = 4000;
const maxIdle = 64;
/** A page's policy names every inline script. */
const maxResponseHeaderBytes = 256 * 1024;

/** What is still read, and thrown away, of a body that was refused: bytes, and ms. */
const earlyResponseLimits = { bytes: 16 * 1024 * 1024, ms: 5000 };

/** Nobody listens at the socket, or its queue is full: the request has not left. */
const unavailableCodes = new Set(["ECONNREFUSED", "ENOENT", "EAGAIN", "EMFILE", "ENFILE"]);
/** Methods that may be sent once more where the answer was lost. */
const retryableMethods = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Ends an answer that came before the whole body when the client has stopped sending, has gone, or had its
 * time: a connection that is closed over unread bytes is reset, and takes the answer with it.
 */
export function endEarlyResponse(incoming: IncomingMessage, response: ServerResponse): void {
  let discarded = 0;
  const end = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, earlyResponseLimits.ms);
  incoming.on("data", (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > earlyResponseLimits.bytes) end();
  });
  incoming.once("end", end);
  incoming.once("close", end);
  incoming.resume();
}

/** One request on its way, over as many attempts as it takes. */
interface Call {
  incoming: IncomingMessage;
  response: ServerResponse;
  upstream: ClientRequest | null;
  /** When to give a server up that is away, by `performance.now()`. */
  deadline: number;
  repeated: boolean;
}

function relay(
  { incoming, response }: Call,
  upstream: ClientRequest,
  upstreamResponse: IncomingMessage,
): void {
  response.sendDate = upstreamResponse.headers.date === undefined;
  response.writeHead(
    upstreamResponse.statusCode ?? 502,
    upstreamResponse.statusMessage,
    responseHeaders(upstreamResponse),
  );
  // An event stream's client learns at once that it is one.
  if (upstreamResponse.headers["content-length"] === undefined) response.flushHeaders();
  upstreamResponse.pipe(response, { end: false });
  upstreamResponse.once("end", () => {
    // Node keeps `shouldKeepAlive` where a header of ours says otherwise.
    const isKept = response.shouldKeepAlive && !closesConnection(upstreamResponse);
    if (incoming.complete || isKept) response.end();
    else {
      incoming.unpipe(upstream);
      endEarlyResponse(incoming, response);
    }
  });
  upstreamResponse.once("close", () => {
    // Whoever gets half an answer has to see that it is one.
    if (!upstreamResponse.complete) response.destroy();
  });
  upstreamResponse.once("error", () => response.destroy());
}

/** Passes requests on to a server behind a Unix socket, over connections that are kept. */
// oxlint-disable-next-line max-lines-per-function -- one closure over one state, in short parts
export function makeProxy(options: ProxyOptions): Proxy {
  const {
    socketPath,
    sendUnavailable,
    sendConnectionLost,
    maxWaitMs = 2000,
    maxWaiting = 64,
  } = options;
  const agent = new Agent({ keepAlive: true, maxFreeSockets: maxIdle, timeout: idleMs });
  const waiting = new Set<Call>();
  let isClosing = false;

  function wait(call: Call): boolean {
    if (isClosing || performance.now() >= call.deadline) return false;
    if (!waiting.has(call) && waiting.size >= maxWaiting) return false;
    waiting.add(call);
    setTimeout(() => {
      if (!call.response.destroyed) attempt(call);
    }, retryMs);
    return true;
  }

  function fail(call: Call, upstream: ClientRequest, error: NodeJS.ErrnoException): void {
    const { incoming, response } = call;
    // The rest of an answer that has begun tells by itself how it ends.
    if (response.destroyed || response.headersSent) return;
    if (unavailableCodes.has(error.code ?? "")) {
      if (!wait(call)) sendUnavailable(incoming, response);
      return;
    }
    const isWhole = !hasBody(incoming) && retryableMethods.has(incoming.method ?? "");
    if (isWhole && (upstream.reusedSocket || !call.repeated)) {
      call.repeated = true;
      attempt(call);
      return;
    }
    sendConnectionLost(incoming, response);
  }

  function attempt(call: Call): void {
    const { incoming } = call;
    const { method, url: path } = incoming;
    const headers = requestHeaders(incoming);
    const maxHeaderSize = maxResponseHeaderBytes;
    const upstream = request({ socketPath, agent, method, path, headers, maxHeaderSize });
    call.upstream = upstream;
    upstream.once("response", (upstreamResponse) => {
      waiting.delete(call);
      relay(call, upstream, upstreamResponse);
    });
    upstream.on("error", (error) => fail(call, upstream, error));
    if (!hasBody(incoming)) {
      upstream.end();
      return;
    }
    // Until it is connected nothing of the body is taken: it could not be sent again.
    const send = () => {
      upstream.flushHeaders();
      incoming.pipe(upstream);
    };
    upstream.once("socket", (socket) => {
      if (socket.connecting) socket.once("connect", send);
      else send();
    });
  }

  return {
    forward(incoming, response, isPatient) {
      const deadline = isPatient ? performance.now() + maxWaitMs : 0;
      const call: Call = { incoming, response, upstream: null, deadline, repeated: false };
      response.once("close", () => {
        waiting.delete(call);
        if (!response.writableFinished) call.upstream?.destroy();
      });
      incoming.once("close", () => {
        if (!incoming.complete) call.upstream?.destroy();
      });
      incoming.on("error", () => {});
      attempt(call);
    },
    close() {
      isClosing = true;
    },
  };
}

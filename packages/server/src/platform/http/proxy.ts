import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  request,
  type ServerResponse,
} from "node:http";
import { responseHeaders, closesConnection, hasBody, requestHeaders } from "./proxy-headers.ts";

export interface ProxyOptions {
  /** The Unix socket of the upstream server. */
  socketPath: string;
  /** Responds if that server can't be reached, so the request hasn't been sent. */
  sendUnavailable(request: IncomingMessage, response: ServerResponse): void;
  /** Responds if the connection was lost during the request, which may have been executed. */
  sendConnectionLost(request: IncomingMessage, response: ServerResponse): void;
  /** How long a request waits for an unavailable server, in ms; defaults to 2,000. */
  maxWaitMs?: number;
  /** How many requests may wait; defaults to 64. */
  maxWaiting?: number;
}

export interface Proxy {
  /**
   * Forwards a request and returns the response. `isPatient`: whether it may wait for an
   * unavailable server.
   */
  forward(request: IncomingMessage, response: ServerResponse, isPatient: boolean): void;
  /** Ends all waiting, because this server is closing. */
  close(): void;
}

/** Pause between attempts to reach an unavailable server, in ms. */
const retryMs = 50;
/** Idle connections are closed well before the upstream server does, ms. */
const idleMs = 4000;
const maxIdle = 64;
/** A page's policy lists every inline script. */
const maxResponseHeaderBytes = 256 * 1024;

/** How much of a refused body is still read and discarded: bytes and ms. */
const earlyResponseLimits = { bytes: 16 * 1024 * 1024, ms: 5000 };

/** Nobody is listening on the socket, or its queue is full: the request hasn't been sent. */
const unavailableCodes = new Set(["ECONNREFUSED", "ENOENT", "EAGAIN", "EMFILE", "ENFILE"]);
/** Methods that may be repeated if the response was lost. */
const retryableMethods = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Ends a response that arrived before the whole body, once the client has stopped sending, has
 * left, or its time is up: closing a connection with unread bytes resets it and can lose the
 * response.
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

/** A request in progress, over as many attempts as it needs. */
interface Call {
  incoming: IncomingMessage;
  response: ServerResponse;
  upstream: ClientRequest | null;
  /** When to stop trying to reach the server, by `performance.now()`. */
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
  // Sends the headers of an event stream immediately.
  if (upstreamResponse.headers["content-length"] === undefined) response.flushHeaders();
  upstreamResponse.pipe(response, { end: false });
  upstreamResponse.once("end", () => {
    // Node keeps `shouldKeepAlive` even if our header says otherwise.
    const isKept = response.shouldKeepAlive && !closesConnection(upstreamResponse);
    if (incoming.complete || isKept) response.end();
    else {
      incoming.unpipe(upstream);
      endEarlyResponse(incoming, response);
    }
  });
  upstreamResponse.once("close", () => {
    // Clients have to notice an incomplete response.
    if (!upstreamResponse.complete) response.destroy();
  });
  upstreamResponse.once("error", () => response.destroy());
}

/** Forwards requests to a server on a Unix socket, over persistent connections. */
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
    // Once a response has started, its stream reports how it ends.
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
    // Until it is connected, nothing of the body is read, because it couldn't be sent again.
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

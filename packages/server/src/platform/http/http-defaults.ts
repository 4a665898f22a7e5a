import type { Server } from "node:http";
import type { Socket } from "node:net";
import { AppError } from "../../kit/errors.ts";
import { failure } from "../../kit/failure.ts";
import type { Log } from "../log.ts";

/** Timeouts that Node enforces for all our servers, in ms. */
export const serverTimeouts = {
  keepAlive: 10_000,
  headers: 15_000,
  checkHeadersEvery: 2000,
} as const;

/** Default headers of responses: suitable for JSON, which nobody may embed. */
export function defaultHeaders(secure: boolean): Record<string, string> {
  return {
    "x-content-type-options": "nosniff",
    "referrer-policy": "strict-origin-when-cross-origin",
    "content-security-policy":
      "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    ...(secure ? { "strict-transport-security": "max-age=31536000" } : {}),
  };
}

const malformedRequests: Record<string, AppError> = {
  ERR_HTTP_REQUEST_TIMEOUT: new AppError(
    "request_timeout",
    "The request took too long to arrive. Send it again.",
  ),
  HPE_HEADER_OVERFLOW: new AppError(
    "headers_too_large",
    "The request's headers are too large. Send fewer or smaller cookies and headers.",
  ),
};

/** Answers malformed requests on the raw socket, with the same envelope. */
export function sendMalformedRequestError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const known =
    malformedRequests[error.code ?? ""] ??
    new AppError("bad_request", "This isn't an HTTP request.");
  const body = JSON.stringify(failure(known));
  const head = {
    ...defaultHeaders(false),
    "content-type": "application/json; charset=utf-8",
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
  };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${known.status} Error\r\n${lines.join("")}\r\n${body}`);
}

/**
 * An unknown Expect may be ignored (RFC 9110, section 10.1.1); Node would answer it without
 * headers.
 */
export function ignoreUnknownExpectations(server: Server): void {
  server.on("checkExpectation", (request, response) => {
    server.emit("request", request, response);
  });
}

/**
 * A failed connection must not affect others; errors while starting to listen belong to the caller.
 */
export function reportServerErrors(server: Server, log: Log): void {
  let complained = 0;
  server.on("error", (error) => {
    if (!server.listening || Date.now() - complained < 1000) return;
    complained = Date.now();
    log.error({ err: error }, "a connection can't be accepted");
  });
}

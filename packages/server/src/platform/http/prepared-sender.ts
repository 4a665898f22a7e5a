import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AccessLog } from "../access-log.ts";
import { closeOnSlowClient } from "./slow-client-timeout.ts";
import type { UnreadResponses } from "./unread-responses.ts";

/** A whole response in memory, with all its headers. */
export interface SendableResponse {
  status: number;
  /** Names and values in turn, as `writeHead` takes them; the last value gives way to the request's id. */
  headers: string[];
  body: Buffer | null;
  /** The path for the log, as JSON and without secrets. */
  pathJson: string;
}

export interface PreparedSenderOptions {
  find(request: IncomingMessage): SendableResponse | null;
  isAllowedHost(request: IncomingMessage): boolean;
  addressOf(request: IncomingMessage): string;
  unread: UnreadResponses;
  accessLog: AccessLog;
}

/** Sends the response to a request if one is ready; false if not, and then nothing has happened. */
export type SendPrepared = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * Answers from memory before a router or any hook runs, within the same bounds: known hosts, pipelined
 * requests, unread responses, slow clients.
 */
export function makePreparedSender(options: PreparedSenderOptions): SendPrepared {
  const { find, isAllowedHost, addressOf, unread, accessLog } = options;
  return (request, response) => {
    if (!isAllowedHost(request)) return false;
    const found = find(request);
    if (found === null) return false;
    const { socket, method = "GET" } = request;
    if (!unread.start(socket, response)) return true;
    closeOnSlowClient(response);
    const began = performance.now();
    const reqId = randomUUID();
    const ip = addressOf(request);
    const { status, headers, body, pathJson } = found;
    // Also for a client that has closed the connection as soon as it had everything.
    response.on("close", () => {
      const ms = performance.now() - began;
      accessLog({ reqId, method, pathJson, status, ms, ip });
    });
    headers[headers.length - 1] = reqId;
    response.writeHead(status, headers);
    if (body === null) response.end();
    else {
      response.end(body);
      unread.addBytes(socket, response, body.length);
    }
    return true;
  };
}

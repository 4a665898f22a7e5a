import type { Dispatcher } from "undici";
import apiRequest from "undici/lib/api/api-request.js";
import { getGlobalDispatcher } from "undici/lib/global.js";

export type RequestOptions = Omit<Dispatcher.RequestOptions, "origin" | "path" | "method"> & {
  method?: Dispatcher.HttpMethod;
  /** Whose connections are used; undici's own unless given. */
  dispatcher?: Dispatcher;
};

/**
 * Makes an HTTP request over a pool of connections to one server; the path is sent as it is. The
 * caller has to read or dump the body. Rejects with undici's error if there is no response.
 */
export function requestFrom(
  pool: Dispatcher,
  options: Dispatcher.RequestOptions,
): Promise<Dispatcher.ResponseData> {
  return apiRequest.call(pool, options);
}

/**
 * Makes an HTTP request as undici's `request` does: GET unless told, no redirects followed, no limit on
 * the response's size except the dispatcher's. The caller has to read or dump the body. Rejects with
 * undici's error if there is no response.
 */
export async function request(
  url: string | URL,
  { dispatcher = getGlobalDispatcher(), method = "GET", ...options }: RequestOptions = {},
): Promise<Dispatcher.ResponseData> {
  const { origin, pathname, search } = new URL(url);
  return apiRequest.call(dispatcher, { ...options, method, origin, path: pathname + search });
}

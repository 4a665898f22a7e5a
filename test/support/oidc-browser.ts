/** An answer that leads nowhere further by itself. */
export interface Arrived {
  url: URL;
  status: number;
  headers: Headers;
  text: string;
  /** Every address on the way, the first one included. */
  redirects: URL[];
}

export interface TestBrowser {
  /**
   * Opens an address as a person does who clicks on it at `from`, and follows redirects until an
   * answer is none, or until an address that `stopAt` takes, which is not asked.
   */
  open(
    address: string,
    options?: { from?: string; accept?: string; stopAt?: (url: URL) => boolean },
  ): Promise<Arrived>;
  /** Asks as a page of the site's own does. */
  post(
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: { data: never; error: never } }>;
  get<T>(path: string): Promise<{ status: number; body: T }>;
  cookie(origin: string, name: string): string | undefined;
  setCookie(origin: string, name: string, value: string): void;
}

const page = "text/html,application/xhtml+xml;q=0.9";

/**
 * A browser without pages: it keeps cookies by origin, follows redirects and says where a navigation
 * came from. `site` is reached at `reachedAt`, whatever its address is.
 */
export function testBrowser(site: string, reachedAt: string): TestBrowser {
  const jars = new Map<string, Map<string, string>>();
  function jarOf(origin: string): Map<string, string> {
    const jar = jars.get(origin) ?? new Map<string, string>();
    jars.set(origin, jar);
    return jar;
  }

  async function ask(url: URL, init: RequestInit): Promise<Response> {
    const jar = jarOf(url.origin);
    const cookies = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = new Headers(init.headers);
    if (cookies !== "") headers.set("cookie", cookies);
    const target = url.origin === site ? new URL(url.pathname + url.search, reachedAt) : url;
    const response = await fetch(target, { ...init, headers, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      const isGone = /max-age=0(;|$)/i.test(line) || value === "";
      if (isGone) jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  }

  async function open(address: string, options: Parameters<TestBrowser["open"]>[1] = {}) {
    const { from = site, accept = page, stopAt = () => false } = options;
    const redirects: URL[] = [];
    let url = new URL(address, site);
    let isCross = from !== url.origin;
    for (;;) {
      redirects.push(url);
      isCross ||= url.origin !== from;
      const headers = {
        accept,
        "sec-fetch-mode": "navigate",
        "sec-fetch-dest": "document",
        "sec-fetch-site": isCross ? "cross-site" : "same-origin",
      };
      const response = await ask(url, { headers });
      const location = response.headers.get("location");
      const next = location === null ? null : new URL(location, url);
      if (next === null || redirects.length > 20 || stopAt(next)) {
        const { status } = response;
        return {
          url: next ?? url,
          status,
          headers: response.headers,
          text: await response.text(),
          redirects,
        };
      }
      await response.body?.cancel();
      url = next;
    }
  }

  const json = async (path: string, init: RequestInit) => {
    const headers = { accept: "application/json", "sec-fetch-site": "same-origin" };
    const response = await ask(new URL(path, site), {
      ...init,
      headers: { ...headers, ...(init.headers as Record<string, string>) },
    });
    return { status: response.status, body: (await response.json()) as never };
  };

  return {
    open,
    get: (path) => json(path, {}),
    post: (path, body) =>
      json(path, {
        method: "POST",
        headers: {
          origin: site,
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    cookie: (origin, name) => jarOf(origin).get(name),
    setCookie: (origin, name, value) => void jarOf(origin).set(name, value),
  };
}

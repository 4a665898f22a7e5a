export interface SessionCookie {
  name: string;
  /**
   * The values with this name in a Cookie header, at most four, because another port may set its
   * own.
   */
  read(header: string | undefined): string[];
  /** The session's part of a Cookie header; undefined if there is none. */
  extract(header: string | undefined): string | undefined;
  /** The Set-Cookie value for a session. */
  issue(id: string): string;
  /** The Set-Cookie value that removes it. */
  clear(): string;
}

const maxValues = 4;

/** The name of a session's cookie; over https with the prefix that binds it to this host. */
export function cookieName(name: string, secure: boolean): string {
  return secure ? `__Host-${name}` : name;
}

/**
 * A cookie for a session (RFC 6265bis): HttpOnly, SameSite=Lax, and over https Secure with the
 * __Host- prefix, so that neither a subdomain nor plain http can set one. It is kept for
 * `lifetimeMs`; the session may end sooner.
 */
export function sessionCookie(options: {
  baseUrl: string;
  name: string;
  lifetimeMs: number;
}): SessionCookie {
  const secure = new URL(options.baseUrl).protocol === "https:";
  const name = cookieName(options.name, secure);
  const attributes = `Path=/; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}`;
  const maxAge = Math.floor(options.lifetimeMs / 1000);

  function read(header: string | undefined): string[] {
    if (header === undefined) return [];
    return header
      .split(";")
      .map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(`${name}=`))
      .map((pair) => pair.slice(name.length + 1))
      .slice(0, maxValues);
  }

  return {
    name,
    read,
    extract(header) {
      const values = read(header);
      return values.length === 0 ? undefined : values.map((value) => `${name}=${value}`).join("; ");
    },
    issue: (id) => `${name}=${id}; Max-Age=${maxAge}; ${attributes}`,
    clear: () => `${name}=; Max-Age=0; ${attributes}`,
  };
}

import { absoluteLifetime } from "./sessions.ts";

export interface SessionCookie {
  name: string;
  /** The values of this name in a Cookie header, at most four: another port may plant its own. */
  read(header: string | undefined): string[];
  /** The part of a Cookie header that belongs to the admin session; undefined for none. */
  pick(header: string | undefined): string | undefined;
  /** The Set-Cookie value that hands out a session. */
  issue(id: string): string;
  /** The Set-Cookie value that takes it away. */
  clear(): string;
}

const maxValues = 4;

/**
 * The admin's cookie (RFC 6265bis): HttpOnly, SameSite=Lax, and over https Secure with the __Host-
 * prefix, so that neither a subdomain nor plain http can plant one.
 */
export function sessionCookie(baseUrl: string): SessionCookie {
  const secure = new URL(baseUrl).protocol === "https:";
  const name = secure ? "__Host-vitrine_admin" : "vitrine_admin";
  const attributes = `Path=/; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}`;

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
    pick(header) {
      const values = read(header);
      return values.length === 0 ? undefined : values.map((value) => `${name}=${value}`).join("; ");
    },
    issue: (id) => `${name}=${id}; Max-Age=${absoluteLifetime / 1000}; ${attributes}`,
    clear: () => `${name}=; Max-Age=0; ${attributes}`,
  };
}

// Explicit, because the providers' clients would otherwise read them from the environment.
const own = {
  anthropic: "https://api.anthropic.com/v1",
  openai: "https://api.openai.com/v1",
  "openai-compatible": "",
} as const;

/**
 * Whether a model address is acceptable: http or https, without user name, password, query, or
 * fragment. Any host is allowed, including this machine, where local models run.
 */
export function isModelAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash, hostname } = new URL(text);
  const web = protocol === "http:" || protocol === "https:";
  return web && hostname !== "" && `${username}${password}${search}${hash}` === "";
}

/** The address in a canonical form without a trailing slash; null for the provider's own. */
export function modelAddress(provider: keyof typeof own, baseUrl: string | null): string {
  return baseUrl === null ? own[provider] : new URL(baseUrl).href.replace(/\/+$/, "");
}

// Said outright: left out, the providers' clients would take them from the environment.
const own = {
  anthropic: "https://api.anthropic.com/v1",
  openai: "https://api.openai.com/v1",
  "openai-compatible": "",
} as const;

/**
 * Whether a model may be asked at this address: http or https, without user name, password, query or
 * fragment. Any host may stand there, this machine's own too: that is where local models are.
 */
export function isModelAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash, hostname } = new URL(text);
  const web = protocol === "http:" || protocol === "https:";
  return web && hostname !== "" && `${username}${password}${search}${hash}` === "";
}

/** The address in one way of writing it, without a slash at its end; null is the provider's own. */
export function modelAddress(provider: keyof typeof own, baseUrl: string | null): string {
  return baseUrl === null ? own[provider] : new URL(baseUrl).href.replace(/\/+$/, "");
}

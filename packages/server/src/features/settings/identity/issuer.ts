const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\]|.+\.localhost)$/;

/**
 * Whether a client secret may be sent to this address: https, or http on this machine; without user
 * name, password, query, or fragment (OpenID Connect Discovery 1.0, 4.1).
 */
export function isIssuer(text: string): boolean {
  const address = URL.parse(text);
  if (address === null || /[?#]/.test(text)) return false;
  const { protocol, username, password, hostname } = address;
  if (`${username}${password}` !== "" || hostname === "") return false;
  return protocol === "https:" || (protocol === "http:" && loopback.test(hostname));
}

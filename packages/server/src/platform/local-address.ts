/**
 * Where programs on this machine reach the server, as `127.0.0.1:3000`: a wildcard address is this
 * machine.
 */
export function localAddress({ host, port }: { host: string; port: number }): string {
  if (host === "0.0.0.0") return `127.0.0.1:${port}`;
  if (host === "::") return `[::1]:${port}`;
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

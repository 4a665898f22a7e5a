import { connect, type PeerCertificate } from "node:tls";
import type { TlsProbe } from "./probes.ts";

/** The maximum for a handshake, in ms. */
const timeoutMs = 10_000;
const day = 86_400_000;

/** Makes a TLS handshake and returns the certificate, valid or not. */
function certificateOf(host: string, port: number, signal: AbortSignal): Promise<PeerCertificate> {
  const { promise, resolve, reject } = Promise.withResolvers<PeerCertificate>();
  const name = host.replace(/^\[|\]$/g, "");
  const servername = /^[\d.]+$|:/.test(name) ? undefined : name;
  const socket = connect({
    host: name,
    port,
    ...(servername === undefined ? {} : { servername }),
    // Expired certificates are what this probe looks for.
    rejectUnauthorized: false,
    timeout: timeoutMs,
  });
  const giveUp = () => socket.destroy(signal.reason as Error);
  signal.addEventListener("abort", giveUp, { once: true });
  socket.once("secureConnect", () => resolve(socket.getPeerCertificate()));
  socket.once("timeout", () => socket.destroy(new Error("No handshake within 10 s.")));
  socket.once("error", reject);
  socket.once("close", () => reject(new Error("The connection was closed.")));
  return promise.finally(() => {
    signal.removeEventListener("abort", giveUp);
    socket.destroy();
  });
}

/**
 * Reads until when the certificate of an HTTPS site is valid; null for HTTP. Throws if there is
 * none.
 */
export async function probeTls(
  origin: string,
  now: number,
  signal: AbortSignal,
): Promise<TlsProbe | null> {
  const { protocol, hostname, port } = new URL(origin);
  if (protocol !== "https:") return null;
  const { valid_to: until, issuer } = await certificateOf(hostname, Number(port) || 443, signal);
  const notAfter = Date.parse(until ?? "");
  if (Number.isNaN(notAfter)) throw new Error("The server showed no certificate.");
  const named = [issuer?.O, issuer?.CN].flat().find((part) => part);
  return {
    host: hostname,
    notAfter: new Date(notAfter).toISOString(),
    issuer: String(named ?? "").slice(0, 100),
    daysLeft: Math.floor((notAfter - now) / day),
  };
}

/** The unprivileged user for untrusted files if we are root: below the range that systemd assigns. */
const sandboxUid = 61_000;

/** The user that decoders run as, and the owner of their folders; null: that of this process. */
export function sandboxUser(): number | null {
  return process.getuid?.() === 0 ? sandboxUid : null;
}

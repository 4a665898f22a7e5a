import type { SiteCheck } from "../../check.ts";

/** From how many days before the expiry it is reported, and reported as an error. */
const soon = 21;
const urgent = 7;

function messageOf(host: string, days: number): string {
  if (days < 0) return `The certificate of ${host} has expired.`;
  if (days === 0) return `The certificate of ${host} expires today.`;
  return `The certificate of ${host} expires in ${days} ${days === 1 ? "day" : "days"}.`;
}

/** Reports a certificate that expires soon: browsers will then block visitors. */
export const healthTlsExpiry: SiteCheck = {
  id: "health.tls-expiry",
  category: "health",
  severity: "warning",
  scope: "probe",
  *run(_crawl, { tls }) {
    if (!tls || tls.daysLeft > soon) return;
    const { host, notAfter, issuer, daysLeft } = tls;
    yield {
      page: "/",
      target: host,
      message: messageOf(host, daysLeft),
      severity: daysLeft <= urgent ? "error" : "warning",
      evidence: { notAfter, issuer },
    };
  },
};

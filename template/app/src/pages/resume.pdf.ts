import { changes } from "../lib/records.ts";

/** The résumé as a file for e-mails and forms. */
export async function GET({ site: base }: { site: URL }): Promise<Response> {
  // What sets it is large, and nothing else on the site needs it.
  const { resumePdf } = await import("../lib/resume-pdf.ts");
  // The last change of the site and not the time of the build: the same input gives the same bytes.
  const bytes = await resumePdf(base, changes[0]?.at ?? "2000-01-01T00:00:00.000Z");
  return new Response(new Uint8Array(bytes), { headers: { "Content-Type": "application/pdf" } });
}

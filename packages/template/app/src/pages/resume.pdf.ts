import { isBuilt } from "../lib/parts.ts";
import { publishedResume, resumeSource } from "../lib/resume-source.ts";
import { lettersWithoutFont } from "../lib/resume.ts";

/** The résumé as a file for e-mails and forms. */
export async function GET({ site: base }: { site: URL }): Promise<Response> {
  // Without content there is no file.
  if (!isBuilt("/resume.pdf")) return new Response(null);
  if (lettersWithoutFont.length > 0) {
    const letters = lettersWithoutFont.slice(0, 20).join(" ");
    process.stderr.write(
      `This site has no resume.pdf, because its fonts lack some letters of the résumé (${letters}). Print the page /resume/ instead.\n`,
    );
    // Without a body there is no file.
    return new Response(null);
  }
  const source = resumeSource(base);
  const bytes = publishedResume(source) ?? (await draw(base, source));
  return new Response(new Uint8Array(bytes), { headers: { "Content-Type": "application/pdf" } });
}

/** What sets it is large, and nothing else on the site needs it. */
async function draw(base: URL, source: string): Promise<Buffer> {
  const { resumePdf } = await import("../lib/resume-pdf.ts");
  return resumePdf(base, source);
}

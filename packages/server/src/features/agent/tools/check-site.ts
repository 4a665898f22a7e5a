import { z } from "zod";
import type { AgentTool, ToolScope } from "./tool.ts";

const maxErrors = 20;
const maxErrorLength = 2000;

const input = z.object({});

function listed(errors: readonly string[], count: number): string {
  let text = "";
  let shown = 0;
  for (const error of errors) {
    if (text.length + error.length > maxReportLength) break;
    text += `${error}\n`;
    shown += 1;
  }
  return text + (shown < count ? `… and ${count - shown} more` : "");
}

/** Compilers can quote whole files, so all errors together are limited, too. */
const maxReportLength = 8000;

export function checkSiteTool({ checkSite }: ToolScope): AgentTool<z.infer<typeof input>> {
  return {
    name: "check_site",
    description:
      "Builds the site in a sandbox and returns the errors, if any. Use it when your changes are done.",
    input,
    title: () => "Check the site",
    async run() {
      const check = await checkSite();
      if (check.ok) {
        return {
          text: `The site builds: ${check.pages} pages.`,
          title: `Checked the site: ${check.pages} pages build`,
        };
      }
      const errors = check.errors.slice(0, maxErrors).map((e) => e.slice(0, maxErrorLength));
      return {
        text: `The site does not build:\n${listed(errors, check.errors.length)}`,
        title: `Checked the site: ${check.errors.length === 1 ? "1 error" : `${check.errors.length} errors`}`,
      };
    },
  };
}

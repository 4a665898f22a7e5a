import { z } from "zod";
import { systemClock } from "../../kit/clock.ts";
import { AppError } from "../../kit/errors.ts";
import { line } from "../../kit/fields.ts";
import { type Agent, maxSubjectLength } from "../agent/agent.ts";
import { openJail } from "../agent/tools/jail.ts";
import { bindTool } from "../agent/tools/toolbox.ts";
import { fileTool, makeFormAgent, readPresent } from "./form-agent.ts";
import { renameSite } from "./site-name.ts";

/** The name of this form among the forms that runs apply. */
export const siteNameForm = "site-name";

/** A run's input: the current name on the pages, and the new one. */
export const siteNameInput = z.strictObject({
  former: line(120, { min: 1 }),
  name: line(120, { min: 1 }),
});
export type SiteNameInput = z.infer<typeof siteNameInput>;

export const siteNameInstruction = ({ former, name }: SiteNameInput): string =>
  `Change the name on the site from ${former} to ${name}`;

/** Replaces a name in the site's content, without a model. */
export function makeSiteNameAgent(ownerName: string, input: SiteNameInput): Agent {
  return makeFormAgent(ownerName, async (context) => {
    const jail = await openJail(context.root, context.limits.workspace);
    const present = await readPresent(jail);
    const changed = Object.entries(renameSite(present, input));
    for (const [index, [path, after]] of changed.entries()) {
      const tool = fileTool(context, jail, { path, before: present[path] ?? "", after });
      const report = await bindTool(tool, context, systemClock).call(`name-${index + 1}`, {});
      if (!report.ok) throw new AppError("validation_failed", report.text);
    }
    return {
      steps: changed.length,
      summary:
        changed.length === 0
          ? `The site’s pages no longer mention ${input.former}.`
          : `The site’s pages now say ${input.name} instead of ${input.former}.`,
      message: siteNameInstruction(input).slice(0, maxSubjectLength),
    };
  });
}

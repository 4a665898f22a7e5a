import { openJail } from "../../packages/server/src/features/agent/tools/jail.ts";
import { defaultLimits } from "../../packages/server/src/platform/config.ts";
import type { Edit } from "./case.ts";

/** An edit that doesn't do what it says: the case is wrong, whatever the review says. */
export class InvalidCase extends Error {}

function replaced(
  text: string,
  { path, search, text: by, times }: Extract<Edit, { kind: "replace" }>,
) {
  const parts = text.split(search);
  if (parts.length - 1 !== times) {
    throw new InvalidCase(`${path} has ${JSON.stringify(search)} ${parts.length - 1} times`);
  }
  if (search === by) throw new InvalidCase(`${path}: an edit changes nothing`);
  return parts.join(by);
}

/**
 * Makes the edits in a work tree, under the tools' own rules of what may be written.
 * @throws InvalidCase for an edit that doesn't apply or that the tools refuse
 */
export async function applyEdits(dir: string, edits: readonly Edit[]): Promise<void> {
  const jail = await openJail(dir, defaultLimits.workspace);
  const changed = async (edit: Edit): Promise<void> => {
    if (edit.kind === "remove") return jail.remove(edit.path);
    if (edit.kind === "move") return jail.move(edit.path, edit.to);
    if (edit.kind === "replace") {
      return jail.writeText(edit.path, replaced(await jail.readText(edit.path), edit));
    }
    const before = edit.kind === "append" ? await jail.readText(edit.path) : "";
    return jail.writeText(edit.path, before + edit.text);
  };
  for (const edit of edits) {
    try {
      await changed(edit);
    } catch (error) {
      if (error instanceof InvalidCase) throw error;
      throw new InvalidCase(`${edit.kind} ${edit.path}: ${String(error)}`);
    }
  }
}

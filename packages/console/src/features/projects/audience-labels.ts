import type { ProjectDetail } from "../../api/types.ts";

export type Audience = ProjectDetail["audience"];

/** Whom a project can be for, as the field says it. */
export const audiences: readonly { value: Audience; label: string }[] = [
  { value: "everyone", label: "Everyone" },
  { value: "members", label: "People with an account" },
  { value: "invited", label: "Only people I invite" },
];

/** The small mark of a project that is not for everybody. */
export const audienceMarks: Readonly<Record<Exclude<Audience, "everyone">, string>> = {
  members: "Members",
  invited: "Invited",
};

/** What the choice means, in a sentence. */
export const audienceHints: Readonly<Record<Audience, string>> = {
  everyone: "Once it is published, it is on the site for all the world.",
  members:
    "It is nowhere on the public site, pictures included. Once it is published, everybody who signs in with an account sees it.",
  invited:
    "It is nowhere on the public site, pictures included. Once it is published, whom you invite sees it after signing in.",
};

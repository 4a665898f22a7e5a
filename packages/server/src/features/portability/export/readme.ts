/** What an export says of itself. */
export function readmeText(counts: { projects: number; media: number; changes: number }): string {
  return `# Export of a portfolio

Projects, pictures, résumé and the site itself, in forms that other programs read as well.

| Here | What |
|---|---|
| \`projects/<slug>/index.md\` | ${counts.projects} case studies, drafts and those for some people only included: Markdown with YAML front matter |
| beside each | its pictures and films as the site keeps them, ${counts.media} in all |
| \`resume.json\` | the résumé as a JSON Resume (https://jsonresume.org), its portrait beside it |
| \`changelog.json\` | ${counts.changes} entries, newest first: time, kind, title, detail, by whom |
| \`site/\` | the site's own source and all stored media, without the history in git |

Not in it: messages, members and their invitations, tasks, sources, what QA is told to ignore, settings,
keys, the history in git, and the files as they were uploaded. \`vitrine backup\` keeps the whole instance,
to be brought back by \`vitrine restore\`.

\`status: draft\` is not published. \`audience: members\` is for people with an account,
\`audience: invited\` for people who are invited to that project; without it a project is for everybody.
\`brief\` is private: it never was on the site.

To bring projects, pictures and résumé back: \`vitrine import --yes --update <this folder>\`. What the
pages say and how they look is in \`site/\`, for the content repository of another instance.
`;
}

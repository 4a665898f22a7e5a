/** The README of an export. */
export function readmeText(counts: { projects: number; media: number; changes: number }): string {
  return `# Export of a portfolio

Your projects, images, résumé and the site itself, in formats that other programs can read.

| Here | What |
|---|---|
| \`projects/<slug>/index.md\` | ${counts.projects} case studies, including drafts and restricted ones: Markdown with YAML front matter |
| beside each | its images and videos as stored on the site, ${counts.media} in total |
| \`resume.json\` | the résumé as a JSON Resume (https://jsonresume.org), its portrait beside it |
| \`changelog.json\` | ${counts.changes} entries, newest first: time, kind, title, detail and author |
| \`site/\` | the site's source and all stored media, without its git history |

Not included: messages, members and their invitations, tasks, sources, QA's ignore rules, settings, keys, the git history and the originals of uploaded files. To keep the whole instance, use \`vitrine backup\` and \`vitrine restore\`.

A project with \`status: draft\` isn't published. \`audience: members\` restricts it to people with an account, \`audience: invited\` to people invited to it; otherwise everyone can see it. \`brief\` is private and was never on the site.

To import the projects, images and résumé again, run \`vitrine import --yes --update <this folder>\`. The texts and design of the pages are in \`site/\`, for the content repository of another instance.
`;
}

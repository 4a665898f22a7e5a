const fileNames =
  /[\w@[\]./-]*[\w\]]\.(?:astro|mdx?|css|js|ts|json|svg|txt|html|xml|webmanifest)\b/gi;

/**
 * Whether a commit's subject names files, and one of them is none of those that changed. A part of a
 * path is enough: `about.astro` for `app/src/pages/about.astro`.
 * @param changed paths of the files that changed
 */
export function mentionsOtherFiles(subject: string, changed: Iterable<string>): boolean {
  const paths = [...changed].map((path) => `/${path.toLowerCase()}`);
  return (subject.match(fileNames) ?? []).some((name) => {
    const end = `/${name.toLowerCase().replace(/^[./]+/, "")}`;
    return !paths.some((path) => path.endsWith(end));
  });
}

const fileNames =
  /[\w@[\]./-]*[\w\]]\.(?:astro|mdx?|css|js|ts|json|svg|txt|html|xml|webmanifest)\b/gi;

/**
 * Whether a commit subject names a file that didn't change. The end of a path is enough to match:
 * `about.astro` for `app/src/pages/about.astro`.
 * @param changed paths of the changed files
 */
export function mentionsOtherFiles(subject: string, changed: Iterable<string>): boolean {
  const paths = [...changed].map((path) => `/${path.toLowerCase()}`);
  return (subject.match(fileNames) ?? []).some((name) => {
    const end = `/${name.toLowerCase().replace(/^[./]+/, "")}`;
    return !paths.some((path) => path.endsWith(end));
  });
}

/** Whether a lowercase text is one of the most common passwords. */
export type IsCommonPassword = (text: string) => boolean;

async function load(): Promise<IsCommonPassword> {
  const { dictionary } = await import("@zxcvbn-ts/language-common");
  const list = new Set(dictionary["passwords-common"]);
  return (text) => list.has(text);
}

let loading: Promise<IsCommonPassword> | undefined;

/**
 * The 49,000 most common leaked passwords, shared by the process. Loading them takes 5 MB and about
 * 100 ms, so they are loaded once, when the first password is set.
 */
export function commonPasswords(): Promise<IsCommonPassword> {
  loading ??= load();
  return loading;
}

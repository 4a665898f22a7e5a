/** Whether a text in small letters is one of the passwords that are tried first. */
export type IsCommon = (text: string) => boolean;

async function load(): Promise<IsCommon> {
  const { dictionary } = await import("@zxcvbn-ts/language-common");
  const list = new Set(dictionary["passwords-common"]);
  return (text) => list.has(text);
}

let loading: Promise<IsCommon> | undefined;

/**
 * The list of the 49,000 passwords that turn up most in leaks, for the whole process: it takes 5 MB
 * and some 100 ms, so it is read when the first password is set, once.
 */
export function commonPasswords(): Promise<IsCommon> {
  loading ??= load();
  return loading;
}

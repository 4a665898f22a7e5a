/** Whether a text in small letters is one of the passwords that are tried first. */
export type IsCommonPassword = (text: string) => boolean;

async function load(): Promise<IsCommonPassword> {
  const { dictionary } = await import("@zxcvbn-ts/language-common");
  const list = new Set(dictionary["passwords-common"]);
  return (text) => list.has(text);
}

let loading: Promise<IsCommonPassword> | undefined;

/**
 * The list of the 49,000 passwords that turn up most in leaks, for the whole process: it takes 5 MB
 * and some 100 ms, so it is read when the first password is set, once.
 */
export function commonPasswords(): Promise<IsCommonPassword> {
  loading ??= load();
  return loading;
}

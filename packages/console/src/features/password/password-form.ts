import type { FieldErrors } from "../forms/useForm.ts";

export interface PasswordFields {
  current: string;
  password: string;
}

/** The server's rule, checked here first. */
const minCharacters = 8;

/** Missing fields; `isSet`: whether the current password is required. */
export function passwordErrors(form: PasswordFields, isSet: boolean): FieldErrors {
  return {
    ...(isSet && form.current === "" && { current: "Enter the password you use now." }),
    ...([...form.password].length < minCharacters && {
      password: `Use at least ${minCharacters} characters.`,
    }),
  };
}

import type { FieldErrors } from "../forms/useForm.ts";

export interface PasswordFields {
  current: string;
  password: string;
}

/** As the server has it, so that it need not be asked. */
const minCharacters = 8;

/** What is missing in the form; `isSet` is whether there is a password that has to be given. */
export function passwordErrors(form: PasswordFields, isSet: boolean): FieldErrors {
  return {
    ...(isSet && form.current === "" && { current: "Enter the password you use now." }),
    ...([...form.password].length < minCharacters && {
      password: `Use at least ${minCharacters} characters.`,
    }),
  };
}

import type {
  IdentityView,
  ProviderView,
} from "../../../../server/src/features/settings/identity/schema.ts";
import { moved } from "../projects/order.ts";
import type { FieldErrors } from "../forms/useForm.ts";

export type { ProviderView };

export type Kind = ProviderView["kind"];

/** The initial values of a new provider. */
export interface ProviderPreset {
  value: string;
  label: string;
  id: string;
  kind: Kind;
  name: string;
  issuer: string;
  /** Where its client ID and secret are created. */
  madeAt: string | null;
}

export const providerPresets: readonly ProviderPreset[] = [
  {
    value: "google",
    label: "Google",
    id: "google",
    kind: "oidc",
    name: "Google",
    issuer: "https://accounts.google.com",
    madeAt: "https://console.cloud.google.com/apis/credentials",
  },
  {
    value: "github",
    label: "GitHub",
    id: "github",
    kind: "github",
    name: "GitHub",
    issuer: "",
    madeAt: "https://github.com/settings/developers",
  },
  {
    value: "other",
    label: "Another provider",
    id: "",
    kind: "oidc",
    name: "",
    issuer: "",
    madeAt: null,
  },
];

export interface ProviderForm {
  id: string;
  kind: Kind;
  name: string;
  issuer: string;
  clientId: string;
  clientSecret: string;
  enabled: boolean;
}

export function newProvider({ id, kind, name, issuer }: ProviderPreset): ProviderForm {
  return { id, kind, name, issuer, clientId: "", clientSecret: "", enabled: true };
}

export function providerForm({
  id,
  kind,
  name,
  issuer,
  clientId,
  enabled,
}: ProviderView): ProviderForm {
  return { id, kind, name, issuer: issuer ?? "", clientId, clientSecret: "", enabled };
}

/** Whether the stored secret applies to the form's values. */
export function isSecretKept(form: ProviderForm, saved: ProviderView | null): boolean {
  return saved !== null && saved.kind === form.kind && (saved.issuer ?? "") === form.issuer.trim();
}

const idPattern = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** Errors found before asking the server; `taken` are the other providers' names. */
export function missingProvider(
  form: ProviderForm,
  saved: ProviderView | null,
  taken: readonly string[],
): FieldErrors {
  const id = form.id.trim();
  return {
    ...(form.name.trim() === "" && { name: "Enter a name for its button." }),
    ...(!idPattern.test(id) && { id: "Use lowercase letters, digits and single hyphens." }),
    ...(taken.includes(id) && { id: "Another provider already has this name." }),
    ...(form.kind === "oidc" &&
      form.issuer.trim() === "" && { issuer: "Enter the issuer’s exact address." }),
    ...(form.clientId.trim() === "" && { clientId: "Enter the client ID from the provider." }),
    ...(form.clientSecret.trim() === "" &&
      !isSecretKept(form, saved) && { clientSecret: "Enter the client secret." }),
  };
}

/** The request for a provider. Without a new secret, the stored one stays. */
function requestBody(form: ProviderForm): object {
  const { clientSecret, issuer, ...rest } = form;
  return {
    ...rest,
    id: form.id.trim(),
    issuer: issuer.trim() === "" ? null : issuer.trim(),
    ...(clientSecret.trim() !== "" && { clientSecret: clientSecret.trim() }),
  };
}

/** The list with one provider edited or added. */
export function withProvider(
  { providers }: IdentityView,
  form: ProviderForm,
  savedId: string | null,
): { providers: object[] } {
  const others = providers.map((one) => requestBody(one.id === savedId ? form : providerForm(one)));
  return { providers: savedId === null ? [...others, requestBody(form)] : others };
}

/** The list without a provider. */
export function withoutProvider({ providers }: IdentityView, id: string): { providers: object[] } {
  const others = providers.filter((one) => one.id !== id);
  return { providers: others.map((one) => requestBody(providerForm(one))) };
}

/** The list with a provider moved up or down. */
export function moveProvider(
  { providers }: IdentityView,
  from: number,
  to: number,
): { providers: object[] } {
  const order = providers.map((one) => requestBody(providerForm(one)));
  return { providers: moved(order, from, to) };
}

/** The form's field for an error about the list. */
export function fieldOf(name: string): string {
  return name.replace(/^providers\.\d+\./, "");
}

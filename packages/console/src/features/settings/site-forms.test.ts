import { expect, test } from "vitest";

import {
  fieldOf,
  isSecretKept,
  missingProvider,
  moveProvider,
  newProvider,
  providerForm,
  providerPresets,
  type ProviderView,
  withoutProvider,
  withProvider,
} from "./identity-form.ts";
import { limitLabel, missingOwner } from "./site-forms.ts";

const google: ProviderView = {
  id: "google",
  kind: "oidc",
  name: "Google",
  issuer: "https://accounts.google.com",
  clientId: "me.apps.example",
  enabled: true,
  clientSecretSet: true,
  callbackUrl: "https://a.example/api/account/oauth/google/callback",
};
const github: ProviderView = { ...google, id: "github", kind: "github", issuer: null };
const list = { providers: [google, github] };

test("an owner needs a name and a time zone", () => {
  expect(missingOwner({ name: "Mara", timeZone: "UTC" })).toEqual({});
  expect(Object.keys(missingOwner({ name: " ", timeZone: "" }))).toEqual(["name", "timeZone"]);
});

test("what is due is described in words", () => {
  expect(limitLabel({ findings: 0, tasks: 0 })).toMatch(/^Nothing/);
  expect(limitLabel({ findings: 1, tasks: 1 })).toMatch(/^1 finding would .* 1 task\.$/);
  expect(limitLabel({ findings: 7, tasks: 2 })).toMatch(/^7 findings would .* 2 tasks\.$/);
});

test("a new provider needs its credentials; the presets need nothing else", () => {
  for (const preset of providerPresets.slice(0, 2)) {
    const missing = missingProvider(newProvider(preset), null, []);
    expect(Object.keys(missing)).toEqual(["clientId", "clientSecret"]);
  }
  const other = newProvider(providerPresets.at(-1) ?? providerPresets[0]!);
  expect(Object.keys(missingProvider(other, null, []))).toEqual(
    expect.arrayContaining(["name", "id", "issuer"]),
  );
  const taken = missingProvider({ ...providerForm(google), id: "github" }, google, ["github"]);
  expect(Object.keys(taken)).toEqual(["id"]);
});

test("a stored secret stays valid unless the provider moves", () => {
  const form = providerForm(google);
  expect(isSecretKept(form, google)).toBe(true);
  for (const moved of [
    { ...form, issuer: "https://thief.example" },
    { ...form, kind: "github" as const },
  ]) {
    expect(isSecretKept(moved, google)).toBe(false);
    expect(Object.keys(missingProvider(moved, google, []))).toEqual(["clientSecret"]);
  }
  expect(isSecretKept(form, null)).toBe(false);
});

test("one provider changes, the others are sent unchanged, without secrets", () => {
  const typed = { ...providerForm(google), name: "G", clientSecret: " s " };
  const { providers } = withProvider(list, typed, "google");
  expect(providers).toEqual([
    expect.objectContaining({ id: "google", name: "G", clientSecret: "s" }),
    expect.objectContaining({ id: "github", issuer: null }),
  ]);
  expect(providers[1]).not.toHaveProperty("clientSecret");
  expect(providers[1]).not.toHaveProperty("clientSecretSet");
  expect(withProvider(list, { ...typed, id: "new" }, null).providers).toHaveLength(3);
  expect(withoutProvider(list, "google").providers).toMatchObject([{ id: "github" }]);
  expect(moveProvider(list, 1, 0).providers).toMatchObject([{ id: "github" }, { id: "google" }]);
});

test("the server's errors about a list appear at the field of the form", () => {
  expect(fieldOf("providers.3.clientSecret")).toBe("clientSecret");
});

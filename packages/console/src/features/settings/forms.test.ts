import { describe, expect, test } from "vitest";

import * as budget from "./budget-form.ts";
import * as email from "./email-form.ts";
import {
  bodyOf,
  choosePreset,
  formOf,
  isOpenAddress,
  missing,
  type ModelView,
  nothing,
} from "./model-form.ts";
import { numberOf, parseInteger } from "./number.ts";

const anthropic: ModelView = {
  ...nothing,
  from: "settings",
  provider: "anthropic",
  id: "claude-x",
  inputPrice: 3,
  keySet: true,
};

test("numbers are parsed as people write them", () => {
  expect(["3", " 0,25 ", "1 000.5", "", "3 dollars", "-1", "1.2.3"].map(numberOf)).toEqual([
    3,
    0.25,
    1000.5,
    null,
    Number.NaN,
    Number.NaN,
    Number.NaN,
  ]);
  expect(["400,000", "400 000", "400.000", "4", "", "many"].map(parseInteger)).toEqual([
    400_000,
    400_000,
    400_000,
    4,
    null,
    Number.NaN,
  ]);
});

describe("the model", () => {
  test("the stored key is kept for the same server, and required again for another", () => {
    const form = formOf(anthropic);
    expect(missing(form, anthropic)).toEqual({});
    expect(bodyOf(form, anthropic)).not.toHaveProperty("apiKey");
    const moved = { ...form, baseUrl: "https://proxy.test/v1" };
    expect(missing(moved, anthropic)).toEqual({ apiKey: "Enter a key." });
    expect(bodyOf({ ...moved, apiKey: " sk-new " }, anthropic)).toMatchObject({
      apiKey: "sk-new",
      baseUrl: "https://proxy.test/v1",
    });
  });

  test("a local server needs its address and no key, and gets no other server's", () => {
    const form = choosePreset(formOf(anthropic), anthropic, "ollama");
    expect(form).toMatchObject({ id: "", baseUrl: "http://localhost:11434/v1", inputPrice: "" });
    expect(missing(form, anthropic)).toEqual({ id: "Enter the model’s name." });
    expect(bodyOf({ ...form, id: "qwen" }, anthropic)).toMatchObject({
      provider: "openai-compatible",
      id: "qwen",
      apiKey: null,
    });
    expect(missing({ ...form, id: "x", baseUrl: " " }, anthropic)).toHaveProperty("baseUrl");
  });

  test("a saved model appears under the name it was chosen by", () => {
    const at = (baseUrl: string) =>
      formOf({ ...anthropic, provider: "openai-compatible", baseUrl }).preset;
    expect(at("https://openrouter.ai/api/v1/")).toBe("openrouter");
    expect(at("http://models.test/v1")).toBe("other");
    const away = choosePreset(formOf(anthropic), anthropic, "other");
    expect(choosePreset(away, anthropic, "anthropic")).toEqual(formOf(anthropic));
  });

  test("the context size is a whole number, and reset for another model", () => {
    const form = { ...formOf({ ...anthropic, windowTokens: 200_000 }), windowTokens: "32 000" };
    expect(bodyOf(form, anthropic)).toMatchObject({ windowTokens: 32_000 });
    expect(missing({ ...form, windowTokens: "many" }, anthropic)).toHaveProperty("windowTokens");
    expect(choosePreset(form, anthropic, "ollama").windowTokens).toBe("");
  });

  test("invalid prices are reported at their field", () => {
    const form = { ...formOf(anthropic), inputPrice: "cheap" };
    expect(missing(form, anthropic)).toHaveProperty("inputPrice");
  });

  test("warns about an unencrypted connection, except to this machine", () => {
    expect(["http://models.test/v1", "http://192.168.1.5:1234"].map(isOpenAddress)).toEqual([
      true,
      true,
    ]);
    expect(
      ["https://models.test", "http://localhost:1234", "http://[::1]/v1", "no"].map(isOpenAddress),
    ).toEqual([false, false, false, false]);
  });
});

test("a budget is numbers, or unlimited", () => {
  const none = { tokens: null, cost: null };
  const view: budget.BudgetView = {
    run: none,
    day: { tokens: 1_200_000, cost: 2.5 },
    month: none,
    spent: { day: { tokens: 0, cost: null }, month: { tokens: 0, cost: null } },
    currency: null,
    priced: false,
    usualRunTokens: null,
  };
  const form = budget.formOf(view);
  expect(form["day.tokens"]).toBe("1,200,000");
  expect(budget.bodyOf(form)).toEqual({ run: none, day: view.day, month: none });
  expect(budget.missing(form)).toEqual({});
  expect(Object.keys(budget.missing({ ...form, "run.tokens": "0", "month.cost": "x" }))).toEqual([
    "run.tokens",
    "month.cost",
  ]);
});

test("email secrets are sent only when they are entered", () => {
  const view: email.EmailView = {
    to: "me@example.org",
    from: "site@example.org",
    provider: "postmark",
    providerUrl: null,
    providerDomain: null,
    providerKeySet: true,
    smtp: { host: "email.example.org", port: 587, secure: false, user: "me", passwordSet: true },
  };
  const form = email.formOf(view);
  const { passwordSet: _, ...smtp } = view.smtp ?? { passwordSet: true };
  expect(email.bodyOf(form)).toEqual({
    to: view.to,
    from: view.from,
    provider: "postmark",
    providerUrl: null,
    providerDomain: null,
    smtp,
  });
  expect(email.bodyOf({ ...form, providerKey: "k", password: "p" })).toMatchObject({
    providerKey: "k",
    smtp: { password: "p" },
  });
  expect(email.bodyOf({ ...form, host: " " })).toMatchObject({ smtp: null });
  expect(Object.keys(email.missing({ ...form, from: "", provider: "mailgun", port: "x" }))).toEqual(
    ["from", "providerDomain", "smtp.port"],
  );
});

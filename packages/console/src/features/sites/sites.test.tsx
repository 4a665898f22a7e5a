// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test } from "vitest";

import { eventually } from "../../../../../test/support/eventually.ts";
import { ApiError, type Client } from "../../api/client.ts";
import { render } from "../../api/test-render.tsx";
import { formatMiB, stateOf, usageLabel } from "./labels.ts";
import { siteBody, siteFormErrors } from "./site-form.ts";
import { SitesPage } from "./SitesPage.tsx";
import type { ListedSite, SiteJob } from "./useSites.ts";

const anna: ListedSite = {
  name: "anna",
  status: "active",
  isBusy: false,
  address: "https://anna.example",
  isAwake: true,
  movedTo: null,
  createdAt: "2026-11-29T12:00:00.000Z",
  domainCount: 2,
};
const job: SiteJob = {
  name: "bob",
  kind: "create",
  state: "running",
  progress: "Building its pages",
  startedAt: "2026-11-29T12:00:00.000Z",
  node: null,
  link: null,
  isLinkUnreadable: false,
  error: null,
};

/** A server with these sites and jobs, which tests change. */
function fakeServer(sites: readonly ListedSite[], jobs: SiteJob[] = []) {
  const posts: [string, object][] = [];
  const server = { jobs, refusal: null as ApiError | null, posts };
  const answers: Record<string, () => object> = {
    "/api/adminsites/list": () => ({
      items: sites,
      total: sites.length,
      page: 1,
      perPage: 20,
      domainSuffix: ".home.example",
    }),
    "/api/adminsites/get": () => ({ ...anna, domains: ["anna.example", "www.anna.example"] }),
    "/api/adminsites/usage": () => ({
      items: [
        { name: "anna", diskBytes: 118 * 2 ** 20, diskMiB: 500, activeAt: "2026-11-29T12:00:00Z" },
      ],
    }),
    "/api/adminsites/jobs": () => ({ items: server.jobs }),
    "/api/adminauth/password": () => ({ isSet: true, setAt: null }),
  };
  const client: Partial<Client> = {
    get: async <T,>(path: string) => (answers[path] as () => object)() as T,
    async post<T>(path: string, body: object) {
      posts.push([path, body]);
      if (server.refusal !== null) throw server.refusal;
      return { ...job, ...body } as T;
    },
  };
  return { server, client };
}

let page: ReturnType<typeof render>;
beforeEach(() => {
  history.replaceState(null, "", "/admin/sites");
  // jsdom has no modal dialogs.
  HTMLDialogElement.prototype.showModal = function showModal() {
    this.open = true;
  };
  HTMLDialogElement.prototype.close = function close() {
    this.open = false;
  };
});
afterEach(() => page.close());

const type = (label: string, value: string): void => {
  const labels = [...page.place.querySelectorAll("label")];
  const found = labels.find(({ textContent }) => textContent === label);
  const input = page.place.querySelector<HTMLInputElement>(`#${CSS.escape(found?.htmlFor ?? "")}`);
  if (!input) throw new Error(`There is no field “${label}”.`);
  const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set;
  set?.call(input, value);
  input.dispatchEvent(new Event("input", { bubbles: true }));
};
const shows = (text: string) => eventually(() => expect(page.place.textContent).toContain(text));

test("without further sites, the page says what they are for, and creates one", async () => {
  const { client, server } = fakeServer([]);
  page = render(<SitesPage />, client);
  await shows("No further sites yet");
  page.button("Create site").click();
  await shows("Create a site");
  type("Name", "bob");
  type("Owner", "Bob");
  server.refusal = new ApiError("already_exists", "Taken.", 409, {
    fields: { domain: "belongs to the site “anna”" },
  });
  page.place.querySelector<HTMLFormElement>("dialog form")?.requestSubmit();
  await shows("Belongs to the site “anna”.");
  // What was typed is still there, and is sent again.
  server.refusal = null;
  type("Domain (optional)", "bob.example");
  server.jobs = [job];
  page.place.querySelector<HTMLFormElement>("dialog form")?.requestSubmit();
  await shows("Creating “bob”…");
  expect(page.place.querySelector("dialog")).toBeNull();
  const body = { name: "bob", owner: "Bob", timeZone: "UTC", diskMiB: null };
  expect(server.posts).toEqual([
    ["/api/adminsites/create", body],
    ["/api/adminsites/create", { ...body, domain: "bob.example" }],
  ]);
});

test("a page that is opened later shows the job, and the link until it is dismissed", async () => {
  const { client, server } = fakeServer([anna], [job]);
  page = render(<SitesPage />, client);
  await shows("Building its pages");
  await shows("118 MiB of 500 MiB used");
  expect(page.place.textContent).toContain("Active");
  expect(page.place.textContent).toContain("and 1 other domain");
  server.jobs = [{ ...job, state: "done", node: "one:/srv", isLinkUnreadable: true }];
  await page.queries.invalidateQueries();
  await shows("Open this page on the node one:/srv");
  expect(page.place.textContent).toContain("vitrine --site bob set-admin-token");
  expect(page.place.textContent).not.toContain("The owner can already sign in");
  server.jobs = [{ ...job, state: "done", link: "https://bob.example/admin/vl_x" }];
  await page.queries.invalidateQueries();
  await shows("https://bob.example/admin/vl_x");
  server.jobs = [];
  page.button("I’ve saved the link").click();
  await eventually(() => expect(page.place.textContent).not.toContain("vl_x"));
  expect(server.posts).toEqual([["/api/adminsites/dismiss", { name: "bob" }]]);
});

test("a site is removed only with its name and the password", async () => {
  history.replaceState(null, "", "/admin/sites?site=anna");
  const { client, server } = fakeServer([anna]);
  page = render(<SitesPage />, client);
  await shows("www.anna.example");
  page.button("Remove site").click();
  await shows("Your password");
  const submit = () => page.place.querySelector<HTMLFormElement>("dialog form")?.requestSubmit();
  type("Name of the site", "ann");
  submit();
  await shows("Enter the password you sign in with.");
  expect(server.posts).toEqual([]);
  type("Name of the site", "anna");
  type("Your password", "secret");
  submit();
  await eventually(() =>
    expect(server.posts).toEqual([
      ["/api/adminsites/remove", { name: "anna", confirmName: "anna", password: "secret" }],
    ]),
  );
  // The list shows how it continues.
  await eventually(() => expect(location.search).toBe(""));
});

test("states, sizes, and forms are described and checked", () => {
  page = render(<p />, {});
  expect(stateOf({ ...anna, isBusy: true })).toBe("busy");
  expect(stateOf({ ...anna, status: "creating" })).toBe("unfinished");
  expect(stateOf({ ...anna, status: "suspended", movedTo: "/srv/other" })).toBe("moved");
  expect([formatMiB(0.2), formatMiB(1234), formatMiB(20_480)]).toEqual([
    "1 MiB",
    "1,234 MiB",
    "20 GiB",
  ]);
  const usage = { name: "anna", diskBytes: 5 * 2 ** 20, diskMiB: null, activeAt: null };
  expect(usageLabel(usage)).toBe("5 MiB used");
  const form = { name: " anna ", owner: "Anna", domain: "", timeZone: "", diskMiB: "1 000" };
  expect(siteFormErrors(form, false)).toEqual({});
  expect(siteBody(form)).toEqual({ name: "anna", owner: "Anna", diskMiB: 1000 });
  const wrong = { ...form, name: "Anna", owner: " ", diskMiB: "much" };
  expect(Object.keys(siteFormErrors(wrong, true))).toEqual(["name", "owner", "domain", "diskMiB"]);
});

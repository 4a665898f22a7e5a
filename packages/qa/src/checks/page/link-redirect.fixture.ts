import type { PageFixture } from "../fixture.ts";

const moved = {
  hops: [{ url: "https://example.com/old/", status: 301 }],
  finalUrl: "https://example.com/about/",
};
const away = {
  hops: [{ url: "https://example.com/old/", status: 301 }],
  finalUrl: "https://other.example/",
};

export const cases: PageFixture = {
  "link.self-redirect": {
    bad: [
      { main: `<a href="/old/">Old</a>`, safe: true, evidence: { final: "/about/" } },
      {
        main: `<a href="/old/">Old</a>`,
        responses: { "/old/": moved },
        safe: true,
        evidence: { hops: moved.hops },
      },
    ],
    good: [
      { main: `<a href="/about/">New</a>` },
      {
        why: "leads to others on purpose",
        main: `<a href="/old/">x</a>`,
        responses: { "/old/": away },
      },
      {
        why: "is for now only",
        main: `<a href="/old/">x</a>`,
        responses: {
          "/old/": { ...moved, hops: [{ url: "https://example.com/old/", status: 302 }] },
        },
      },
    ],
  },
  "link.redirect-chain": {
    bad: [
      {
        main: `<a href="/older/">Older</a>`,
        redirects: { "/older/": "/old/" },
        safe: true,
        evidence: { final: "/about/" },
      },
      {
        main: `<a href="/old/">Old</a>`,
        responses: {
          "/old/": {
            ...moved,
            hops: [...moved.hops, { url: "https://example.com/mid/", status: 302 }],
          },
        },
        safe: false,
      },
    ],
    good: [
      { main: `<a href="/old/">Old</a>` },
      { main: `<a href="/old/">x</a>`, responses: { "/old/": moved } },
    ],
  },
  "link.redirect-loop": {
    bad: [
      { main: `<a href="/a/">A</a>`, redirects: { "/a/": "/b/", "/b/": "/a/" } },
      {
        main: `<a href="/a/">A</a>`,
        responses: {
          "/a/": {
            status: 301,
            failure: { phase: "redirect", code: "LOOP", ms: 5 },
            verdict: "broken",
          },
        },
      },
    ],
    good: [{ main: `<a href="/old/">Old</a>` }],
  },
  "link.redirect-downgrade": {
    bad: [
      {
        main: `<a href="/old/">Old</a>`,
        responses: { "/old/": { ...moved, finalUrl: "http://example.com/about/" } },
        evidence: { from: "https://example.com/old/", to: "http://example.com/about/" },
      },
    ],
    good: [
      { main: `<a href="/old/">Old</a>`, responses: { "/old/": moved } },
      {
        why: "it was not encrypted to begin with",
        main: `<a href="http://other.example/">Old</a>`,
      },
    ],
  },
  "link.temp-redirect-permanent-use": {
    bad: [
      {
        main: `<a href="/old/">Old</a>`,
        responses: {
          "/old/": { ...moved, hops: [{ url: "https://example.com/old/", status: 302 }] },
        },
        evidence: { status: 302 },
      },
    ],
    good: [
      { main: `<a href="/old/">Old</a>`, responses: { "/old/": moved } },
      {
        why: "to sign in",
        main: `<a href="/me/">Me</a>`,
        responses: {
          "/me/": {
            hops: [{ url: "https://example.com/me/", status: 302 }],
            finalUrl: "https://example.com/login/",
          },
        },
      },
      {
        why: "to sign out",
        main: `<a href="/logout">Log out</a>`,
        responses: {
          "/logout": {
            hops: [{ url: "https://example.com/logout", status: 302 }],
            finalUrl: "https://example.com/",
          },
        },
      },
    ],
  },
};

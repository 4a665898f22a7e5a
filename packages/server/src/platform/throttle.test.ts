import { expect, test } from "vitest";
import { fakeClock } from "../../../../test/support/clock.ts";
import { addressBucket } from "./http/client-address.ts";
import { makeThrottle, throttleHeaders } from "./throttle.ts";

const minute = 60_000;

test("takes up to the limit, then says when the next is possible", () => {
  const clock = fakeClock();
  const throttle = makeThrottle({ clock, limit: 2, windowMs: minute });
  expect(throttle.take("a")).toMatchObject({ allowed: true, remaining: 1 });
  clock.advance(10_000);
  expect(throttle.take("a")).toMatchObject({ allowed: true, remaining: 0 });
  expect(throttle.peek("a")).toMatchObject({ allowed: false, retryAfterMs: 50_000 });
  const refused = throttle.take("a");
  expect(refused).toEqual({
    allowed: false,
    limit: 2,
    remaining: 0,
    retryAfterMs: 50_000,
    resetMs: minute,
  });
  expect(throttleHeaders(refused)).toEqual({
    "ratelimit-limit": "2",
    "ratelimit-remaining": "0",
    "ratelimit-reset": "60",
    "retry-after": "50",
  });
  expect(throttle.take("b").allowed).toBe(true);
});

test("the window slides: no double burst where two windows meet", () => {
  const clock = fakeClock();
  const throttle = makeThrottle({ clock, limit: 3, windowMs: minute });
  clock.advance(minute - 1);
  for (let i = 0; i < 3; i += 1) expect(throttle.take("a").allowed).toBe(true);
  clock.advance(2);
  expect(throttle.take("a").allowed).toBe(false);
  clock.advance(minute - 2);
  expect(throttle.take("a").allowed).toBe(true);
});

test("a refused take costs nothing, a take can be given back", () => {
  const clock = fakeClock();
  const throttle = makeThrottle({ clock, limit: 1, windowMs: minute });
  throttle.take("a");
  for (let i = 0; i < 100; i += 1) throttle.take("a");
  clock.advance(minute);
  expect(throttle.take("a").allowed).toBe(true);
  throttle.refund("a");
  expect(throttle.take("a").allowed).toBe(true);
  throttle.reset("a");
  expect(throttle.take("a").allowed).toBe(true);
});

test("abuse 29: IPv6 rotation shares a /64 bucket, a million addresses stay bounded", () => {
  const clock = fakeClock();
  const throttle = makeThrottle({ clock, limit: 60, windowMs: minute, maxKeys: 5000 });
  for (let i = 0; i < 60; i += 1) {
    throttle.take(addressBucket(`2001:db8:1:2:${i.toString(16)}:5:6:7`));
  }
  expect(throttle.take(addressBucket("2001:db8:1:2:ffff:ffff:ffff:ffff")).allowed).toBe(false);
  expect(throttle.take(addressBucket("2001:db8:1:3::1")).allowed).toBe(true);
  for (let i = 0; i < 1_000_000; i += 1)
    throttle.take(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`);
  expect(throttle.size).toBe(5000);
});

test("abuse 30: setting the clock leaves nobody stuck and nobody free", () => {
  const clock = fakeClock();
  const throttle = makeThrottle({ clock, limit: 1, windowMs: minute });
  throttle.take("a");
  clock.setWall(clock.now() + 365 * 24 * 60 * minute);
  expect(throttle.take("a").allowed).toBe(false);
  clock.setWall(0);
  expect(throttle.take("a")).toMatchObject({ allowed: false, retryAfterMs: minute });
  clock.advance(minute);
  expect(throttle.take("a").allowed).toBe(true);
});

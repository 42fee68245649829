import { expect } from "vitest";
import type { WebClient } from "../fakes/web-client.ts";

/** Checks a client's own records: every message was accepted, shown once and answered once, in order. */
export const expectAccounts = (client: WebClient): void => {
  expect(new Set(client.accepted)).toEqual(new Set(client.sent));
  expect(client.log.map(({ seq }) => seq)).toEqual(client.log.map((_, index) => index + 1));
  expect(client.log.filter(({ type }) => type === "said").map(({ id }) => id)).toEqual(client.sent);
  expect(client.replies().map(({ correlationId }) => correlationId)).toEqual(client.sent);
  expect(client.replies().map(({ outcome = "answered" }) => outcome)).toEqual(client.sent.map(() => "answered"));
};

import { expect } from "vitest";
import type { WebClient } from "../fakes/web-client.ts";

/** By the client's own books: all it sent was accepted, shown once, and answered once, in the order it was sent. */
export const expectAccounts = (client: WebClient): void => {
  expect(new Set(client.accepted)).toEqual(new Set(client.sent));
  expect(client.log.map(({ seq }) => seq)).toEqual(client.log.map((_, index) => index + 1));
  expect(client.log.filter(({ type }) => type === "said").map(({ id }) => id)).toEqual(client.sent);
  expect(client.replies().map(({ correlationId }) => correlationId)).toEqual(client.sent);
  expect(client.replies().map(({ outcome = "answered" }) => outcome)).toEqual(client.sent.map(() => "answered"));
};

import { messageOf } from "../../contract/app-error.ts";

/** It never came to an answer: the same request may do so later. The SDK has no other sign of it than these words. */
export const isTransport = (error: unknown): boolean =>
  error instanceof TypeError || /Status: (?:408|429|5\d\d)|fetch failed|terminated|: 5\d\d$/.test(messageOf(error));

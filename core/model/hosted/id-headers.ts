import { z } from "zod";
import type { ModelDeps, StepWork } from "../agent-model.ts";

/** Headers that the request needs for itself. */
const RESERVED = /^(?:authorization|host|connection|transfer-encoding|content-.*|accept.*|cookie)$/i;

const headerName = z
  .string()
  .regex(/^[A-Za-z][\w-]{0,99}$/, "must be a header name, e.g. X-Conversation-Id")
  .refine((name) => !RESERVED.test(name), "is a header of the request itself; choose another name");

export const IdHeaders = z
  .strictObject({
    conversation: headerName.optional().describe("Carries a pseudonym of the session: `new` starts another one."),
    person: headerName.optional().describe("Carries a pseudonym of the person who asks, different for each baseUrl."),
    trace: headerName.optional().describe("Carries the trace id, as in logs and in the console."),
  })
  .refine(({ conversation, person, trace }) => {
    const names = [conversation, person, trace].flatMap((name) => name?.toLowerCase() ?? []);
    return new Set(names).size === names.length;
  }, "names one header twice");
export type IdHeaders = z.infer<typeof IdHeaders>;

/** The headers of a request of a turn. People are named by pseudonyms, so that two servers cannot match them (R7). */
export const idHeadersOf = (
  { conversation, person, trace }: IdHeaders,
  baseUrl: string,
  { pseudonymOf }: Pick<ModelDeps, "pseudonymOf">,
  work: StepWork | undefined,
): Record<string, string> => {
  if (work === undefined || pseudonymOf === undefined) return {};
  const receiver = new URL(baseUrl).href.replace(/\/+$/, "");
  return {
    ...(conversation !== undefined && { [conversation]: pseudonymOf(receiver, work.sessionId) }),
    ...(person !== undefined && { [person]: pseudonymOf(receiver, work.asker.personId) }),
    ...(trace !== undefined && { [trace]: work.traceId }),
  };
};

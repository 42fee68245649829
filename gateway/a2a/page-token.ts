import { RequestMalformedError } from "@a2a-js/sdk/errors";
import { z } from "zod";
import { dayOf, type TaskSummary } from "../../core/a2a/inbound/index.ts";

/** Where the next page of a list begins: after this. */
export interface PagePlace {
  readonly place: string;
  readonly day: string;
  readonly totalSize: number;
}

const Token = z.tuple([z.iso.datetime(), z.string(), z.int().nonnegative()]);

/** Tasks in this order are in that of their latest change. */
export const placeOf = ({ statusAt, id }: Pick<TaskSummary, "statusAt" | "id">): string => `${statusAt} ${id}`;

export const writePageToken = ({ statusAt, id }: TaskSummary, totalSize: number): string =>
  Buffer.from(JSON.stringify([statusAt, id, totalSize])).toString("base64url");

/** Undefined: the first page. */
export const readPageToken = (token: string): PagePlace | undefined => {
  if (token === "") return undefined;
  try {
    const [statusAt, id, totalSize] = Token.parse(JSON.parse(Buffer.from(token, "base64url").toString()));
    return { place: placeOf({ statusAt, id }), day: dayOf(statusAt), totalSize };
  } catch {
    throw new RequestMalformedError("pageToken is none that this server gave out");
  }
};

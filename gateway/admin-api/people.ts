import { z } from "zod";
import { type Page, PageQuery } from "./shapes.ts";

export interface Person {
  readonly ref: string;
  readonly id: string;
  readonly tenant: string;
  readonly name?: string;
  readonly accounts: readonly {
    readonly channel: string;
    readonly accountId: string;
    readonly name: string;
    readonly since: string;
    /** The configuration declares the account. */
    readonly declared: boolean;
  }[];
  /** Accounts that have written in private. */
  readonly surfaces: readonly { readonly channel: string; readonly accountId: string; readonly since: string }[];
  /** The size of what the agents remember of the person in private; no words (R4). */
  readonly memory: { readonly entries: number; readonly bytes: number };
  readonly quiet?: "off" | { readonly from: string; readonly to: string; readonly timeZone?: string | undefined };
}

export const peopleRequests = {
  "GET people": PageQuery.extend({ tenant: z.string().optional() }),
  "POST people/:ref/unlink": z.strictObject({ channel: z.string(), accountId: z.string() }),
};

export interface PeopleAnswers {
  "GET people": Page<Person>;
  "POST people/:ref/unlink": Person;
}

import { z } from "zod";
import { type Asker, type ConversationAddress, type Page, PageQuery } from "./shapes.ts";

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

export interface FoundSession {
  readonly sessionId: string;
  readonly agent: string;
  readonly tenant: string;
  readonly conversation: ConversationAddress;
  readonly asker: Asker;
  readonly lastAt: string;
  readonly lastSummary: string;
}

/** At most 20 of each; sessions and messages of the last seven days, the newest first. */
export interface SearchResults {
  readonly people: readonly {
    readonly ref: string;
    readonly id: string;
    readonly tenant: string;
    readonly name?: string;
    readonly accounts: readonly { readonly channel: string; readonly accountId: string; readonly name: string }[];
  }[];
  readonly sessions: readonly FoundSession[];
  readonly messages: readonly {
    readonly agent: string;
    readonly tenant: string;
    readonly turnId: string;
    /** Identifies its trace. */
    readonly messageId: string;
    readonly sessionId: string;
    readonly at: string;
    readonly summary: string;
  }[];
  /** There are more sessions or messages. */
  readonly isCut: boolean;
}

const Query = z.string().trim().min(2, "must have at least 2 characters").max(200);

export const peopleRequests = {
  "GET search": z.object({ q: Query, agent: z.string().optional() }),
  "POST search/words": z.strictObject({
    words: Query,
    reason: z.string().trim().min(5, "must say why, in at least 5 characters").max(500),
    agent: z.string().optional(),
  }),
  "GET people": PageQuery.extend({ tenant: z.string().optional() }),
  "POST people/:ref/unlink": z.strictObject({ channel: z.string(), accountId: z.string() }),
};

export interface PeopleAnswers {
  "GET search": SearchResults;
  "POST search/words": {
    readonly sessions: readonly FoundSession[];
    /** The number of sessions that were searched, the newest first. */
    readonly searched: number;
    /** There are older sessions. */
    readonly isCut: boolean;
  };
  "GET people": Page<Person>;
  "POST people/:ref/unlink": Person;
}

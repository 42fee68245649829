import type { AdapterContext } from "../contract/adapter-context.ts";
import type { AddressRates } from "../contract/address-rates.ts";
import type { Inbox } from "../contract/channel-adapter.ts";
import type { RateLimit } from "../contract/rate-limit.ts";
import type { WebLimits } from "./limits.ts";
import type { OpenRooms } from "./open-rooms.ts";
import type { StorageBudget } from "./storage-budget.ts";
import type { VisitorFiles } from "./visitor-files.ts";
import type { VisitorTokens } from "./visitor-tokens.ts";

/** What all dialogues of a channel share. */
export interface DialogueParts {
  readonly context: AdapterContext;
  readonly inbox: Inbox;
  readonly limits: WebLimits;
  readonly frameRate: RateLimit;
  readonly messageRate: RateLimit;
  readonly addressRates: AddressRates;
  readonly budget: StorageBudget;
  readonly rooms: OpenRooms;
  readonly tokens: VisitorTokens;
  readonly files: VisitorFiles;
}

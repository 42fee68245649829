import type { AdapterContext } from "../../contract/adapter-context.ts";
import type { Inbox } from "../../contract/channel-adapter.ts";
import type { AddressRates, RateLimit } from "../../contract/rate-limit.ts";
import type { WebLimits } from "../config.ts";
import type { ReplyFiles } from "../files/reply-files.ts";
import type { StorageBudget } from "../files/storage-budget.ts";
import type { VisitorFiles } from "../files/visitor-files.ts";
import type { ConversationList } from "../history/conversation-list.ts";
import type { VisitorAuth } from "../identity/visitor-auth.ts";
import type { LiveDrafts } from "./live-drafts.ts";
import type { OpenRooms } from "./open-rooms.ts";

/** Dependencies that all dialogues of a channel share. */
export interface DialogueDeps {
  readonly context: AdapterContext;
  readonly inbox: Inbox;
  readonly limits: WebLimits;
  readonly voiceInput: boolean;
  readonly frameRate: RateLimit;
  readonly messageRate: RateLimit;
  readonly addressRates: AddressRates;
  readonly budget: StorageBudget;
  readonly rooms: OpenRooms;
  readonly drafts: LiveDrafts;
  readonly auth: VisitorAuth;
  readonly files: VisitorFiles;
  readonly replyFiles: ReplyFiles;
  readonly conversations: ConversationList;
}

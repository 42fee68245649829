import type { Account, BudgetedWork } from "../../../core/budgets/accounts.ts";
import type { Cause } from "../../../core/contract/messages/work-context.ts";
import { unlinkedPersonId } from "../../../core/people/index.ts";

export const sampleAccount = (fields: Partial<Account> = {}): Account => ({
  tenant: "default",
  holder: "agent/mooring",
  scope: "person",
  subject: "p-1",
  daily: { turns: 10 },
  atOnce: {},
  softShare: undefined,
  unattendedShare: 0.9,
  isOwn: true,
  ...fields,
});

/** The work of a person who wrote in private on the web channel. */
export const sampleWork = (
  id: string,
  { speaker = "member", background = false, personId }: WorkFields = {},
): BudgetedWork => ({
  asker: {
    personId: personId ?? unlinkedPersonId("default", "web", id),
    accountId: id,
    name: id,
    causes: [{ speaker, channel: "web", id }],
  },
  audience: { conversation: { channel: "web", room: `room-${id}`, kind: "private" }, personId: null, accountId: id },
  traceId: `trace-${id}`,
  standing: { background },
});

interface WorkFields {
  readonly speaker?: Cause["speaker"];
  readonly background?: boolean;
  readonly personId?: string;
}

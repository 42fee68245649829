import type { Store } from "../../core/contract/ports/store.ts";
import { personKey, unlinkedPersonId } from "../../core/people/person-record.ts";
import { noteSurface } from "../../core/people/resolve-asker.ts";
import { firstSessionId } from "../../core/sessions/current-session.ts";
import { historyKey } from "../../core/sessions/session-window.ts";
import { messageIn } from "./core-on-bus.ts";
import { throughput } from "./measure.ts";

const IN_FLIGHT = 500;

/** The records of sessions with one answered message each, written without running the turns. */
export const seedSessions = async (
  store: Store,
  count: number,
  addressOf: (n: number) => [room: string, account: string],
) => {
  const now = Date.now();
  const at = new Date(now).toISOString();
  await throughput(count, IN_FLIGHT, async (n) => {
    const message = messageIn(...addressOf(n), 0);
    const { tenant, conversation, account, text } = message;
    const id = unlinkedPersonId(tenant, conversation.channel, account.id);
    const person = noteSurface({ id, tenant, membership: 0, accounts: [], surfaces: [] }, message, now);
    const said = { text, messages: [], finalText: "Noted.", outcome: "answered" as const };
    await Promise.all([
      store.put(personKey(tenant, id), person),
      store.put(historyKey(firstSessionId(message), 0), { kind: "turn", turnId: `t-${n}`, at, ...said }),
    ]);
  });
};

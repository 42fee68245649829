import { AppError } from "../contract/app-error.ts";
import { conversationKey } from "../contract/conversation.ts";
import type { Store } from "../contract/store.ts";
import { accountServed, askingAccount, type Destination } from "../delivery/index.ts";
import { findPerson } from "../people/index.ts";
import type { Seeker } from "./own-schedules.ts";

/** Where a schedule's results go, checked when it is made (P2): here, or where the person has written in private. */
export const chooseTarget = async (store: Store, seeker: Seeker, deliverTo: string): Promise<Destination> => {
  const { conversation } = seeker.audience;
  const here = accountServed(seeker);
  const own = askingAccount(seeker.audience) ?? here;
  const wanted = deliverTo.trim();
  if (wanted === "" || wanted.toLowerCase() === "here") return { conversation, accountId: here.accountId };
  const { person } = await findPerson(store, { tenant: seeker.tenant, ...own });
  const there = person.surfaces.filter((surface) => surface.channel === wanted);
  const surface = there.find(({ conversation }) => conversationKey(conversation) === person.lastActive) ?? there.at(-1);
  if (surface === undefined) {
    const known = [...new Set(["here", ...person.surfaces.map((each) => each.channel)])].join(", ");
    throw new AppError(
      "bad-input",
      `"${wanted.slice(0, 40)}" is no place where this person has written to me in private. Possible: ${known}.`,
    );
  }
  return { conversation: surface.conversation, accountId: surface.accountId };
};

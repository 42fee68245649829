import fc from "fast-check";
import { expect } from "vitest";
import type { UserMessage } from "../../../../core/contract/messages/user-message.ts";
import type { Store } from "../../../../core/contract/ports/store.ts";
import { leavePerson } from "../../../../core/people/leave-person.ts";
import { claimLink } from "../../../../core/people/linking/claim-link.ts";
import { confirmLink } from "../../../../core/people/linking/confirm-link.ts";
import { linkIdOf } from "../../../../core/people/linking/link-code.ts";
import { offerLink } from "../../../../core/people/linking/offer-link.ts";
import { findPerson } from "../../../../core/people/person-record.ts";
import { userMessage } from "../../core-under-test.ts";
import { untilDone } from "../until-done.ts";

const names = ["a", "b", "c", "d"] as const;
type Name = (typeof names)[number];
type Pair = readonly [issuer: Name, claimant: Name];

/** Links of one account with all others. It can have given out one code only: a newer one makes the older void. */
export const star = fc.constantFrom<readonly Pair[]>(
  ...[0, 1, 2, 3].map((own) =>
    names.slice(1).map((other, index): Pair => (index === own ? ["a", other] : [other, "a"])),
  ),
);

/** Any links. Each account has given out one code at most. */
export const anyLinks = fc
  .tuple(...names.map((issuer) => fc.option(fc.constantFrom(...names.filter((name) => name !== issuer)))))
  .map((claimants) =>
    claimants.flatMap((claimant, index): Pair[] => (claimant === null ? [] : [[names[index] as Name, claimant]])),
  );

export interface AtOnce {
  readonly links: readonly Pair[];
  /** Accounts that had others once, and are alone now. */
  readonly left: readonly Name[];
  /** Which writes die. */
  readonly deaths: readonly number[];
}

/** All sides of all links confirm in one instant, in any order of their single steps; the links that were made hold. */
export const confirmAtOnce = async (
  store: Store,
  scheduler: fc.Scheduler,
  { links, left, deaths }: AtOnce,
  now: number,
): Promise<readonly (readonly Name[])[]> => {
  // Each case has people of its own.
  const run = `${store.constructor.name}${++cases}`;
  const at = (name: string): UserMessage =>
    userMessage(`${name}-${run}`, "", {
      conversation: { channel: `web-${name}`, room: `${name}-${run}`, kind: "private" },
      account: { id: `${name}-${run}`, name },
    });
  const personOf = async (name: string) =>
    (await findPerson(store, { tenant: "default", channel: `web-${name}`, accountId: `${name}-${run}` })).person;
  const claimed = async (issuer: string, claimant: string) => {
    const code = await offerLink(store, at(issuer), now);
    await claimLink(store, at(claimant), code, now);
    return linkIdOf("default", code);
  };
  for (const name of left) {
    const gone = `${name}-gone`;
    const linkId = await claimed(gone, name);
    for (const side of [gone, name]) await confirmLink(store, at(side), linkId, now);
    await leavePerson(store, { tenant: "default", channel: `web-${gone}`, accountId: `${gone}-${run}` });
  }
  const open: { linkId: string; pair: Pair }[] = [];
  for (const pair of links) open.push({ linkId: await claimed(...pair), pair });

  const raced = stepwise(store, scheduler, deaths);
  const confirmations = open.flatMap(({ linkId, pair }) =>
    pair.map(async (side) => ({ pair, result: await untilDone(() => confirmLink(raced, at(side), linkId, now)) })),
  );
  const results = await scheduler.waitFor(Promise.all(confirmations));
  for (const { pair, result } of results) {
    if (typeof result === "string") expect(result).toBe("taken");
    else if (result.isLinked) expect((await personOf(pair[0])).id).toBe((await personOf(pair[1])).id);
  }
  return Promise.all(
    names.map(async (name) => {
      const person = await personOf(name);
      const others = names.filter((other) => person.accounts.some(({ channel }) => channel === `web-${other}`));
      for (const other of others) expect((await personOf(other)).id).toBe(person.id);
      return others;
    }),
  );
};

let cases = 0;

/** A store whose every operation waits until the scheduler lets it go on: any interleaving can happen. */
const stepwise = (store: Store, scheduler: fc.Scheduler, deaths: readonly number[]): Store => {
  let writes = 0;
  const step = () => scheduler.schedule(Promise.resolve());
  const write = async <T>(act: () => Promise<T>): Promise<T> => {
    await step();
    if (deaths.includes(writes++)) throw new Error("killed");
    return act();
  };
  return {
    get: (key, known) => step().then(() => store.get(key, known)),
    put: (key, value, options) => write(() => store.put(key, value, options)),
    delete: (key, options) => write(() => store.delete(key, options)),
    list: (prefix) => store.list(prefix),
  };
};

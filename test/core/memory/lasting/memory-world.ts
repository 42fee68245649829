import type { Conversation } from "../../../../core/contract/messages/conversation.ts";
import type { Audience } from "../../../../core/contract/messages/work-context.ts";
import type { Store } from "../../../../core/contract/ports/store.ts";
import { defaultMemory, type MemoryConfig } from "../../../../core/memory/lasting/config.ts";
import { eraseMemory, exportMemory } from "../../../../core/memory/lasting/export-memory.ts";
import { forget, remember } from "../../../../core/memory/lasting/lasting-memory.ts";
import type { MemoryEntry } from "../../../../core/memory/lasting/memory-record.ts";
import { type MemoryScope, memoryScope, readScope } from "../../../../core/memory/lasting/memory-scope.ts";
import { leavePerson } from "../../../../core/people/leave-person.ts";
import { joinPeople } from "../../../../core/people/linking/join-people.ts";
import { resolveAsker } from "../../../../core/people/resolve-asker.ts";
import { runTarget } from "../../../../core/schedules/runs/run-target.ts";
import { ManualClock } from "../../../fakes/manual-clock.ts";
import { AGENT, userMessage } from "../../core-under-test.ts";

export const TENANTS = ["acme", "globex"];
const CHANNELS = ["paper", "stone", "glass"];
export const ACCOUNTS = ["a", "b", "c", "d"];
export const ROOMS = ["harbour", "town"];

/** An account of a tenant; the same ids exist in all tenants. */
export interface Who {
  readonly tenant: string;
  readonly account: string;
}

const channelOf = (account: string): string => CHANNELS[ACCOUNTS.indexOf(account) % CHANNELS.length] ?? "";
const addressOf = ({ tenant, account }: Who) => ({ tenant, channel: channelOf(account), accountId: account });
const conversationOf = (account: string, room: string | undefined): Conversation =>
  room === undefined
    ? { channel: channelOf(account), room: `dm-${account}`, kind: "private" }
    : { channel: channelOf(account), room, kind: "shared" };

/** An entry in the model of the test: who may recall it, derived from links and unlinks alone. */
interface Told {
  readonly text: string;
  readonly tenant: string;
  readonly maker: string;
  /** Absent: told in private. */
  readonly room: string | undefined;
  /** The accounts that have been linked with the maker since. */
  readonly together: Set<string>;
}

/** People of several tenants on a real store, and a plain model of which accounts are linked. */
export class MemoryWorld {
  readonly clock = new ManualClock(Date.UTC(2026, 2, 10, 12));
  readonly #store: Store;
  /** Tells the runs of a property apart on one store. */
  readonly #run: string;
  readonly #told: Told[] = [];
  readonly #groups = new Map<string, string>();
  #count = 0;

  constructor(store: Store, run: string) {
    this.#store = store;
    this.#run = run;
  }

  #real({ tenant, account }: Who): Who {
    return { tenant: `${this.#run}-${tenant}`, account };
  }

  #groupOf({ tenant, account }: Who): string {
    return this.#groups.get(`${tenant}/${account}`) ?? `${tenant}/${account}`;
  }

  linkedWith(who: Who): string[] {
    return ACCOUNTS.filter((account) => this.#groupOf({ ...who, account }) === this.#groupOf(who));
  }

  /** The audience of a message that the account writes now. */
  async #write(who: Who, room: string | undefined): Promise<Audience> {
    const { tenant, account } = this.#real(who);
    const conversation = conversationOf(account, room);
    const fields = { tenant, conversation, account: { id: account, name: account } };
    const message = userMessage(`m-${this.#count++}`, "hello", fields);
    const { id: personId, membership } = await resolveAsker({ store: this.#store, clock: this.clock }, message);
    return { conversation, personId, accountId: account, membership };
  }

  async tell(who: Who, room: string | undefined): Promise<void> {
    const text = `fact ${this.#count++} of ${who.tenant}/${who.account}`;
    const audience = await this.#write(who, room);
    const scope = this.#scope(who, audience);
    const work = { ...scope.ref, audience, asker: { name: who.account }, idempotencyKey: text };
    this.clock.advance(1_000);
    await remember({ store: this.#store, clock: this.clock }, scope, work, text, defaultMemory);
    // A repeat after a crash.
    await remember({ store: this.#store, clock: this.clock }, scope, work, text, defaultMemory);
    this.#told.push({ text, tenant: who.tenant, maker: who.account, room, together: new Set(this.linkedWith(who)) });
  }

  #scope(who: Who, audience: Audience): MemoryScope {
    const scope = memoryScope({ tenant: this.#real(who).tenant, agent: AGENT }, { audience });
    if (scope === undefined) throw new Error("the work has no memory");
    return scope;
  }

  async #read(who: Who, audience: Audience): Promise<readonly MemoryEntry[]> {
    return (await readScope(this.#store, this.#scope(who, audience))).entries;
  }

  /** One call of `remember` in a room; the same text is the same call. */
  async rememberIn(room: string, text: string, limits: MemoryConfig): Promise<void> {
    const conversation = conversationOf("a", room);
    const audience = { conversation, personId: null, accountId: "a" };
    const scope = this.#scope({ tenant: "acme", account: "a" }, audience);
    const work = { ...scope.ref, audience, asker: { name: "a" }, idempotencyKey: text };
    await remember({ store: this.#store, clock: this.clock }, scope, work, text, limits);
  }

  async entriesIn(room: string): Promise<readonly MemoryEntry[]> {
    const audience = { conversation: conversationOf("a", room), personId: null, accountId: "a" };
    return this.#read({ tenant: "acme", account: "a" }, audience);
  }

  async recall(who: Who, room: string | undefined): Promise<string[]> {
    return textsOf(await this.#read(who, await this.#write(who, room)));
  }

  /** A schedule of one account that sends to the private conversation of another one, as it runs now. */
  async recallBySchedule(who: Who, target: string): Promise<string[] | undefined> {
    const { tenant } = this.#real(who);
    await this.#write({ ...who, account: target }, undefined);
    const madeFor = await this.#write(who, undefined);
    const destination = { conversation: conversationOf(target, undefined), accountId: target };
    const schedule = { id: "s-1", tenant, agent: AGENT, description: "run", destination, madeFor };
    const deps = { store: this.#store, home: undefined, hasChannel: () => true };
    const { audience } = await runTarget(deps as never, schedule as never);
    return audience && textsOf(await this.#read(who, audience));
  }

  /** Erases one entry that the account sees in private, by its number, as a command does. */
  async forgetOldest(who: Who): Promise<void> {
    const audience = await this.#write(who, undefined);
    const scope = this.#scope(who, audience);
    const [oldest] = (await readScope(this.#store, scope)).entries;
    if (oldest === undefined) return;
    await forget({ store: this.#store }, scope, [oldest]);
    this.#told.splice(
      this.#told.findIndex(({ text }) => text === oldest.text),
      1,
    );
  }

  async exported(who: Who): Promise<string[]> {
    return textsOf(await exportMemory(this.#store, this.#real(who).tenant, [ownAccount(who)]));
  }

  async eraseAll(who: Who): Promise<void> {
    await eraseMemory(this.#store, this.#real(who).tenant, [ownAccount(who)]);
    const rest = this.#told.filter(({ tenant, maker }) => tenant !== who.tenant || maker !== who.account);
    this.#told.splice(0, this.#told.length, ...rest);
  }

  async link(one: Who, other: string): Promise<void> {
    const guest = { tenant: one.tenant, account: other };
    const [ones, others] = [this.linkedWith(one), this.linkedWith(guest)];
    const cannot = channelOf(one.account) === channelOf(other) || ones.includes(other);
    if (cannot || (ones.length > 1 && others.length > 1)) return;
    const linkId = `link-${this.#count++}`;
    const { tenant } = this.#real(one);
    const sides = [this.#side(one.account), this.#side(other)] as const;
    await joinPeople(this.#store, { linkId: `${this.#run}-${linkId}`, tenant, sides, now: this.clock.now() });
    for (const account of [...ones, ...others]) this.#groups.set(`${one.tenant}/${account}`, linkId);
  }

  #side(accountId: string) {
    const conversation = conversationOf(accountId, undefined);
    return { channel: channelOf(accountId), accountId, name: accountId, agent: AGENT, conversation, confirmed: true };
  }

  async unlink(who: Who): Promise<void> {
    const before = this.linkedWith(who);
    await leavePerson(this.#store, addressOf(this.#real(who)));
    if (before.length < 2) return;
    this.#groups.set(`${who.tenant}/${who.account}`, `alone-${this.#count++}`);
    for (const told of this.#told.filter(({ tenant }) => tenant === who.tenant)) {
      if (told.maker === who.account) told.together.clear();
      told.together.delete(who.account);
      if (told.maker === who.account) told.together.add(who.account);
    }
  }

  /** The oracle: derived from links and unlinks alone. */
  theirs(who: Who, room: string | undefined): string[] {
    const isTheirs = (told: Told) =>
      told.tenant === who.tenant &&
      (room === undefined
        ? told.room === undefined && told.together.has(who.account)
        : told.room === room && channelOf(told.maker) === channelOf(who.account));
    return this.#told.filter(isTheirs).map(({ text }) => text);
  }

  madeBy(who: Who): string[] {
    return this.#told
      .filter(({ tenant, maker }) => tenant === who.tenant && maker === who.account)
      .map(({ text }) => text);
  }
}

const ownAccount = ({ account }: Who) => ({ channel: channelOf(account), accountId: account });
const textsOf = (entries: readonly MemoryEntry[]): string[] => entries.map(({ text }) => text);

export { askingAccount, type OwnAccount } from "./asking-account.ts";
export { type DeclaredPerson, declarePeople } from "./declare-people.ts";
export { LastSeen } from "./last-seen.ts";
export { leavePerson } from "./leave-person.ts";
export type { PersonAccount, PersonRecord, Surface } from "./person-record.ts";
export {
  accountOf,
  changePerson,
  findPerson,
  peopleOf,
  privateConversationOf,
  readPerson,
  sameAccount,
  showAccount,
  showAccounts,
  unlinkedPersonId,
} from "./person-record.ts";
export type { ResolvedAsker } from "./resolve-asker.ts";
export { AskerCache, resolveAsker, resolvedAsker } from "./resolve-asker.ts";

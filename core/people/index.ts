export { belongsTo } from "./belongs-to.ts";
export { type DeclaredPerson, declarePeople } from "./declare-people.ts";
export { leavePerson } from "./leave-person.ts";
export {
  accountOf,
  askingAccount,
  changePerson,
  findPerson,
  type OwnAccount,
  type PersonAccount,
  type PersonRecord,
  peopleOf,
  privateConversationOf,
  readPerson,
  type Surface,
  sameAccount,
  showAccount,
  showAccounts,
  unlinkedPersonId,
} from "./person-record.ts";
export { zoneOfPerson } from "./person-zone.ts";
export { AskerCache, LastSeen, type ResolvedAsker, resolveAsker, resolvedAsker } from "./resolve-asker.ts";

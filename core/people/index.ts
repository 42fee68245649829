export { AskerCache, type ResolvedAsker } from "./asker-cache.ts";
export { type DeclaredPerson, declarePeople } from "./declare-people.ts";
export {
  accountOf,
  changePerson,
  findPerson,
  privateConversationOf,
  readPerson,
  sameAccount,
  unlinkedPersonId,
} from "./find-person.ts";
export { leavePerson } from "./leave-person.ts";
export {
  type PersonAccount,
  type PersonRecord,
  peopleOf,
  type Surface,
  showAccount,
  showAccounts,
} from "./person-record.ts";
export { resolveAsker } from "./resolve-asker.ts";

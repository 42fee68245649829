import { accountOf, type OwnAccount, type PersonRecord, sameAccount } from "./person-record.ts";

/** Something that an account made: work that it asked for, or a memory. */
export interface Made {
  /** Absent: no account made it. */
  readonly by: OwnAccount | undefined;
  /** The person of that account at the time, and their membership counter; absent: only the account itself has it. */
  readonly personId: string | null;
  readonly membership?: number | undefined;
}

/**
 * Whether an account of a person has a share in something (D3): it made it, or it was linked with the maker at the time and
 * both have stayed linked since. `person` is the current person of the account. An account that left and was linked again
 * has a later `joined` and does not qualify.
 */
export const belongsTo = (person: PersonRecord, { by, personId, membership }: Made, account: OwnAccount): boolean => {
  if (by && sameAccount(account, by)) return true;
  if (person.id !== personId || membership === undefined) return false;
  return [account, ...(by ? [by] : [])].every((one) => (accountOf(person, one)?.joined ?? Infinity) <= membership);
};

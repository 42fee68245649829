/** The admin API did not do it. The message is for the operator, and says what to do. */
export class Refused extends Error {
  /** Of HTTP; 0: nobody answered. */
  readonly status: number;
  /** What whoever confirms should have read. */
  readonly expect: readonly string[] | undefined;

  constructor(status: number, message: string, expect?: readonly string[]) {
    super(message);
    this.status = status;
    this.expect = expect;
  }
}

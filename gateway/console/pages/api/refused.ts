/** The admin API rejected a request, or did not answer. The message is for the operator. */
export class Refused extends Error {
  /** The HTTP status; 0: no answer. */
  readonly status: number;
  /** Consequences that the operator must confirm. */
  readonly expect: readonly string[] | undefined;

  constructor(status: number, message: string, expect?: readonly string[]) {
    super(message);
    this.status = status;
    this.expect = expect;
  }
}

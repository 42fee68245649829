/** How a channel recognises the owner of a personal deployment (I1). */
export interface OwnerAccess {
  readonly name: string;
  /** The owner secret: programs that can read it from dataDir prove it. It never leaves this process. */
  readonly secret: Buffer;
  /**
   * Uses up the code of a one-time link. `browser` is a random value of the browser that uses it: the same browser may
   * repeat the call, because its connection may break before the answer. False: expired, unknown, or used elsewhere.
   */
  redeem(code: string, browser: string): Promise<boolean>;
}

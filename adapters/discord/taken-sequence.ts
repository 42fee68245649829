/** Discord numbers the events of a session. All up to one of them are dealt with; what comes after it has to come again. */
export class TakenSequence {
  readonly #underWay = new Set<number>();
  #last: number;

  constructor(last: number) {
    this.#last = last;
  }

  get upTo(): number {
    let upTo = this.#last;
    for (const sequence of this.#underWay) upTo = Math.min(upTo, sequence - 1);
    return upTo;
  }

  begin(sequence: number): void {
    if (!Number.isSafeInteger(sequence)) return;
    this.#last = Math.max(this.#last, sequence);
    this.#underWay.add(sequence);
  }

  end(sequence: number): void {
    this.#underWay.delete(sequence);
  }
}

/** A bug that someone could write into an adapter: one replaced text in one of its files. */
export interface PlantedBug {
  /** Below the adapter's folder. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** The effect that people or the gateway would notice. */
  readonly breaks: string;
}

/** The bugs of one adapter, which only its contract test must find. */
export interface BuggyAdapter {
  readonly name: string;
  readonly bugs: readonly PlantedBug[];
}

/** The bug's name on the command line and in the report. */
export const bugId = ({ name, bugs }: BuggyAdapter, bug: PlantedBug): string => `${name}-${bugs.indexOf(bug) + 1}`;

/** Plants the bug; fails if its text is not exactly once in the source. */
export const plant = (source: string, { find, replace, file }: PlantedBug): string => {
  const pieces = source.split(find);
  if (pieces.length !== 2) throw new Error(`${file} has ${pieces.length - 1} times: ${find}`);
  return pieces.join(replace);
};

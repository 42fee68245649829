/** A named place between two steps. Tests stop the process there; the product does nothing. */
export type Checkpoint = (name: string, about?: string) => void | Promise<void>;

export const noCheckpoint: Checkpoint = () => undefined;

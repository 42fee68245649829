import type { ComponentChildren } from "preact";

interface TileProps {
  readonly name: string;
  readonly value: string;
  readonly isBad?: boolean;
  /** A chart. */
  readonly children?: ComponentChildren;
}

/** A number with its name. */
export const Tile = ({ name, value, isBad = false, children }: TileProps) => (
  <section class="tile" aria-label={name}>
    <h2>{name}</h2>
    <p class={isBad ? "number bad-text" : "number"}>{value}</p>
    {children}
  </section>
);

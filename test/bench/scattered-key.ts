import { hash } from "node:crypto";

/** Scattered like the product's keys, which are made of ids. */
export const scatteredKey = (serial: number): string => hash("sha256", String(serial), "hex");

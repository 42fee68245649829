type Class = abstract new (...args: never[]) => object;

/**
 * Lets `instanceof` recognise objects of another copy of the class: an adapter from outside may bring its own copy of the
 * contract. Subclasses without a brand of their own keep the usual meaning.
 */
export const brand = (type: Class, name: string): void => {
  const mark = Symbol.for(`mooring.${name}`);
  Object.defineProperty(type.prototype, mark, { value: true });
  Object.defineProperty(type, Symbol.hasInstance, {
    value(this: Class, value: unknown): boolean {
      if (this !== type) return Function.prototype[Symbol.hasInstance].call(this, value);
      return typeof value === "object" && value !== null && mark in value;
    },
  });
};

const MANY = 1_000_000;

/** A bench measures the product, not its limits: all load comes from one address. */
export const UNLIMITED = { connectionsPerAddress: MANY, requestsPerSecond: MANY, requestBurst: MANY };

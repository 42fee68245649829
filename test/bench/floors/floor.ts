/** The bare driver, doing the durable work of the bus and the store and nothing else. */
export interface Floor {
  /** Resolves once a message is stored; it is handled as it arrives, and stored as ended after that. */
  publish(body: object, handle: () => Promise<void>): Promise<void>;
  put(key: string, value: string): Promise<void>;
  close(): Promise<void>;
}

/** Published and handled; resolves when the handler has had it. */
export const roundTrip = async (floor: Floor): Promise<void> => {
  let handled: () => void = () => undefined;
  const done = new Promise<void>((resolve) => {
    handled = resolve;
  });
  await floor.publish({ n: 1, text: "hello" }, async () => handled());
  await done;
};

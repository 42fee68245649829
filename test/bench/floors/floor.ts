/** The bare driver, doing the durable work of the bus and the store and nothing else. */
export interface Floor {
  /** Stores a message, hands it to `handle`, and stores that it has ended. */
  roundTrip(n: number): Promise<void>;
  put(key: string, value: string): Promise<void>;
  close(): Promise<void>;
}

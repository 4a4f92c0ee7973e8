/** A client's rights at this moment, as the database says; a token carries none of it. */
export type Client = {
  clientId: string;
  readOnly: boolean;
  permissions: ReadonlySet<number>;
  /** The warehouses in scope. */
  scope: ReadonlySet<number>;
  /** Requests in a window of 60 s; null: the service's default. */
  rateLimit: number | null;
  /** Operations of batches in a window of 60 s; null: the service's default. */
  operationsPerMinute: number | null;
};

/** The current rights of a client, from the database. A token carries no rights. */
export type Client = {
  clientId: string;
  readOnly: boolean;
  permissions: ReadonlySet<number>;
  /** The warehouses in scope. */
  scope: ReadonlySet<number>;
  /** Requests in a window of 60 s; null: the service's default. */
  rateLimit: number | null;
  /** Batch operations in a window of 60 s; null: the service's default. */
  operationsPerMinute: number | null;
};

/** A running span. */
export type Span = {
  set(attributes: Attributes): void;
  /** Renames the span. */
  rename(name: string): void;
};

export type Attributes = Readonly<Record<string, string | number>>;

export type SpanOptions = {
  kind?: 'server' | 'producer' | 'consumer' | 'client';
  attributes?: Attributes;
  /** Begins a new trace, whatever span is running. */
  isRoot?: boolean;
  /** Related spans, by trace context. Invalid ones are left out. */
  links?: readonly (string | undefined)[];
};

/** OpenTelemetry spans. A process without an endpoint for traces has none. */
export type Tracing = {
  /** Runs work as a span within the current one. Errors are recorded and rethrown. */
  span<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>;
  /**
   * Begins a span that never has children; null if there is no current span. The returned function ends it.
   */
  begin(name: string, options: SpanOptions): ((error?: unknown) => void) | null;
  /** The context of the current span as a W3C `traceparent`. */
  current(): string | undefined;
  /** Sends the remaining spans, for some seconds at most. */
  end(): Promise<void>;
};

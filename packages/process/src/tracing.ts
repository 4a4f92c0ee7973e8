/** A span that is under way. */
export type Span = {
  set(attributes: Attributes): void;
  /** By another name than it began with. */
  rename(name: string): void;
};

export type Attributes = Readonly<Record<string, string | number>>;

export type SpanOptions = {
  kind?: 'server' | 'producer' | 'consumer' | 'client';
  attributes?: Attributes;
  /** Begins a trace of its own, whatever is under way. */
  isRoot?: boolean;
  /** Spans, by their trace context, that it has to do with; what is none is left out. */
  links?: readonly (string | undefined)[];
};

/** Spans of OpenTelemetry. There is none of this in a process whose traces go nowhere. */
export type Tracing = {
  /** Runs work as a span within the one under way. What the work throws is noted and thrown on. */
  span<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>;
  /** Begins a span that nothing is within, unless none is under way; the function ends it. */
  begin(name: string, options: SpanOptions): ((error?: unknown) => void) | null;
  /** The context of the span under way, as the header `traceparent` of W3C has it. */
  current(): string | undefined;
  /** Sends what is left, for some seconds at most. */
  end(): Promise<void>;
};

import { AsyncResource } from 'node:async_hooks';
import type { IncomingHttpHeaders } from 'node:http';
import type * as OpenTelemetry from '@opentelemetry/api';
import type { Attributes, Context, Span, SpanOptions } from '@opentelemetry/api';

/** What traces are made with; undefined while they are off. */
let api: typeof OpenTelemetry | undefined;
/** Characters of a value that are kept. */
const maxAttributeLength = 4096;
/** Names the service's own spans, and the service where nothing else does. */
const scope = 'taskgate';

/**
 * Has operations traced from now on, and sent by OTLP over HTTP, as the standard variables of OpenTelemetry's SDK say.
 * @param endpoint where they are sent to; undefined: none is made, and nothing of OpenTelemetry is loaded
 * @returns what sends the rest, and ends it
 */
export async function startTracing(endpoint: string | undefined, attributes: Attributes): Promise<() => Promise<void>> {
  if (endpoint === undefined) return () => Promise.resolve();
  const [loaded, sdk, { OTLPTraceExporter }, hooks, core] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/context-async-hooks'),
    import('@opentelemetry/core'),
  ]);
  const { defaultResource, detectResources, envDetector, resourceFromAttributes } =
    await import('@opentelemetry/resources');
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': scope, ...attributes }))
    .merge(detectResources({ detectors: [envDetector] }));
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces` });
  const provider = new sdk.BasicTracerProvider({
    resource,
    spanProcessors: [new sdk.BatchSpanProcessor(exporter)],
    // A statement that is compiled from a selection may be as long as that.
    spanLimits: { attributeValueLengthLimit: maxAttributeLength },
  });
  loaded.context.setGlobalContextManager(new hooks.AsyncLocalStorageContextManager().enable());
  loaded.propagation.setGlobalPropagator(new core.W3CTraceContextPropagator());
  loaded.trace.setGlobalTracerProvider(provider);
  api = loaded;
  return async () => {
    api = undefined;
    await provider.shutdown();
    for (const each of [loaded.trace, loaded.propagation, loaded.context]) each.disable();
  };
}

export interface OpenSpan {
  /** By which a line of the log is found for a trace. */
  ids: { traceId: string; spanId: string };
  run<Result>(work: () => Result): Result;
  /** @param error what it has failed with, if it has */
  end(attributes?: Attributes, error?: unknown): void;
  /** Under another name, where that is known later. */
  rename(name: string): void;
}

/**
 * Begins a span below the one that is open; undefined while traces are off.
 * @param headers of a request that it serves, whose `traceparent` it continues
 */
export function openSpan(
  name: string,
  kind: 'SERVER' | 'CLIENT' | 'INTERNAL',
  attributes: Attributes = {},
  headers?: IncomingHttpHeaders,
): OpenSpan | undefined {
  if (!api) return undefined;
  const { context, propagation, trace, SpanKind, SpanStatusCode } = api;
  const parent = headers ? propagation.extract(context.active(), headers) : context.active();
  const options: SpanOptions = { kind: SpanKind[kind], attributes };
  const span: Span = trace.getTracer(scope).startSpan(name, options, parent);
  const within: Context = trace.setSpan(parent, span);
  const { traceId, spanId } = span.spanContext();
  return {
    ids: { traceId, spanId },
    run: (work) => context.with(within, work),
    rename: (other) => void span.updateName(other),
    end(more = {}, error?: unknown) {
      span.setAttributes(more);
      if (error !== undefined) {
        span.setAttribute('error.type', typeOf(error));
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
  };
}

/** The code of an error, as SQLSTATE is one; else its name. */
function typeOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  return [code, name].find((each) => typeof each === 'string') ?? 'error';
}

/** Does the work within a new span; just does it while traces are off. */
export async function inSpan<Result>(
  name: string,
  work: () => Promise<Result>,
  { attributes, headers }: { attributes?: Attributes; headers?: IncomingHttpHeaders } = {},
): Promise<Result> {
  const span = openSpan(name, headers ? 'SERVER' : 'INTERNAL', attributes, headers);
  if (!span) return work();
  try {
    const result = await span.run(work);
    span.end();
    return result;
  } catch (error) {
    span.end({}, error);
    throw error;
  }
}

/** Headers by which another service continues the trace; none while traces are off. */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  api?.propagation.inject(api.context.active(), headers);
  return headers;
}

/** The ids of the span that is open, for a line of the log. */
export function traceIds(): Partial<OpenSpan['ids']> {
  const { traceId, spanId } = api?.trace.getActiveSpan()?.spanContext() ?? {};
  return traceId !== undefined && spanId !== undefined ? { traceId, spanId } : {};
}

/** A callback that belongs to the span that is open now, wherever it is called. */
export const withinSpan = <Args extends unknown[]>(callback: (...args: Args) => void): ((...args: Args) => void) =>
  api ? AsyncResource.bind(callback) : callback;

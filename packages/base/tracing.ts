import { AsyncResource } from 'node:async_hooks';
import type { IncomingHttpHeaders } from 'node:http';
import type * as OpenTelemetry from '@opentelemetry/api';
import type { Attributes, Context, Span, SpanOptions } from '@opentelemetry/api';

/** OpenTelemetry's API is global to the process. Absent while tracing is off. */
const telemetry: { api?: typeof OpenTelemetry } = {};
const maxAttributeLength = 4096;
/** Name of the tracer, and default of `service.name`. */
const scope = 'taskgate';

/**
 * Starts tracing by OTLP over HTTP, with the standard variables of OpenTelemetry's SDK.
 * @param endpoint undefined: OpenTelemetry is not loaded
 * @returns a function that flushes and stops it
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
    spanLimits: { attributeValueLengthLimit: maxAttributeLength },
  });
  loaded.context.setGlobalContextManager(new hooks.AsyncLocalStorageContextManager().enable());
  loaded.propagation.setGlobalPropagator(new core.W3CTraceContextPropagator());
  loaded.trace.setGlobalTracerProvider(provider);
  telemetry.api = loaded;
  return async () => {
    delete telemetry.api;
    await provider.shutdown();
    for (const each of [loaded.trace, loaded.propagation, loaded.context]) each.disable();
  };
}

export const isTracing = (): boolean => telemetry.api !== undefined;

interface OpenSpan {
  ids: { traceId: string; spanId: string };
  run<Result>(work: () => Result): Result;
  end(attributes?: Attributes, error?: unknown): void;
  rename(name: string): void;
}

/**
 * Starts a child of the active span. Undefined while tracing is off.
 * @param headers of the served request, with its `traceparent`
 */
export function openSpan(
  name: string,
  kind: 'SERVER' | 'CLIENT' | 'INTERNAL',
  attributes: Attributes = {},
  headers?: IncomingHttpHeaders,
): OpenSpan | undefined {
  if (!telemetry.api) return undefined;
  const { context, propagation, trace, SpanKind, SpanStatusCode } = telemetry.api;
  const parent = headers ? propagation.extract(context.active(), headers) : context.active();
  const options: SpanOptions = { kind: SpanKind[kind], attributes };
  const span: Span = trace.getTracer(scope).startSpan(name, options, parent);
  const childContext: Context = trace.setSpan(parent, span);
  const { traceId, spanId } = span.spanContext();
  return {
    ids: { traceId, spanId },
    run: (work) => context.with(childContext, work),
    rename: (other) => void span.updateName(other),
    end(moreAttributes = {}, error?: unknown) {
      span.setAttributes(moreAttributes);
      if (error !== undefined) {
        span.setAttribute('error.type', typeOf(error));
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
  };
}

function typeOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  return [code, name].find((each) => typeof each === 'string') ?? 'error';
}

/** Runs work in a span, and passes its error on. */
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

/** Headers that pass the active trace on to another service. */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  const { api } = telemetry;
  api?.propagation.inject(api.context.active(), headers);
  return headers;
}

export function traceIds(): Partial<OpenSpan['ids']> {
  const { traceId, spanId } = telemetry.api?.trace.getActiveSpan()?.spanContext() ?? {};
  return traceId !== undefined && spanId !== undefined ? { traceId, spanId } : {};
}

export const withinSpan = <Args extends unknown[]>(callback: (...args: Args) => void): ((...args: Args) => void) =>
  telemetry.api ? AsyncResource.bind(callback) : callback;

import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { OgView } from '../../open.ts'
import type { Observer, ServedCall } from '../served-call.ts'

/** Metrics and traces of a server. Disposal sends the data that is still buffered. */
type Telemetry = AsyncDisposable & {
  observe: Observer
  /** Returns the metrics in Prometheus format. */
  scrape(): Promise<string>
}

type Variables = Readonly<Record<string, string | undefined>>

/** Returns the signals that the standard variables (OTEL_*) enable; none by default. */
export function telemetrySignals(env: Variables): { metrics: boolean; traces: boolean } {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return { metrics: false, traces: false }
  const isEnabled = (signal: 'METRICS' | 'TRACES') => {
    const exporter = env[`OTEL_${signal}_EXPORTER`]
    if (exporter === 'none') return false
    const endpoint = env[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`] || env.OTEL_EXPORTER_OTLP_ENDPOINT
    return Boolean(endpoint) && (exporter ?? 'otlp') === 'otlp'
  }
  return { metrics: isEnabled('METRICS'), traces: isEnabled('TRACES') }
}

/**
 * Loads the OpenTelemetry packages. They read the standard variables themselves (URLs, headers,
 * intervals, service name) and send JSON over HTTP.
 */
export async function openTelemetry(
  og: OgView,
  { env, version }: { env: Variables; version: string },
): Promise<Telemetry> {
  const signals = telemetrySignals(env)
  const resource = await resourceOf(env, version)
  const metrics = await openMetrics(og, { resource, shouldSend: signals.metrics })
  const traces = signals.traces ? await openTraces(resource) : null
  return {
    observe(call) {
      metrics.observe(call)
      traces?.observe(call)
    },
    scrape: metrics.scrape,
    async [Symbol.asyncDispose]() {
      await Promise.allSettled([metrics.close(), traces?.close()])
    },
  }
}

type Resource = Awaited<ReturnType<typeof resourceOf>>

async function resourceOf({ OTEL_SERVICE_NAME: named }: Variables, version: string) {
  const { detectResources, envDetector, resourceFromAttributes } = await import(
    '@opentelemetry/resources'
  )
  const own = resourceFromAttributes({ 'service.name': named || 'og', 'service.version': version })
  return detectResources({ detectors: [envDetector] }).merge(own)
}

/** Histogram boundaries in seconds; a search by a warm server takes a few hundredths. */
const boundaries = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

async function openMetrics(
  og: OgView,
  { resource, shouldSend }: { resource: Resource; shouldSend: boolean },
) {
  const { MeterProvider, PeriodicExportingMetricReader } = await import(
    '@opentelemetry/sdk-metrics'
  )
  const { PrometheusExporter, PrometheusSerializer } = await import(
    '@opentelemetry/exporter-prometheus'
  )
  const prometheus = new PrometheusExporter({ preventServerStart: true })
  const readers = shouldSend
    ? [
        prometheus,
        new PeriodicExportingMetricReader({
          exporter: new (
            await import('@opentelemetry/exporter-metrics-otlp-http')
          ).OTLPMetricExporter(),
        }),
      ]
    : [prometheus]
  const provider = new MeterProvider({ resource, readers })
  const meter = provider.getMeter('og')
  const duration = meter.createHistogram('og.call.duration', {
    unit: 's',
    description: 'time to the answer, by tool or route and by what came of it',
    advice: { explicitBucketBoundaries: boundaries },
  })
  meter
    .createObservableGauge('og.libraries.warm', { description: 'library versions that are open' })
    .addCallback(async (result) => result.observe((await og.warm()).length))
  meter
    .createObservableGauge('og.memory', { unit: 'By', description: 'resident memory' })
    .addCallback((result) => result.observe(process.memoryUsage.rss()))
  meter
    .createObservableCounter('og.cpu', { unit: 's', description: 'processor time' })
    .addCallback((result) => {
      const { user, system } = process.cpuUsage()
      result.observe((user + system) / 1e6)
    })
  observeDelay(meter)
  const serializer = new PrometheusSerializer('', false)
  return {
    observe({ what, status, ms }: ServedCall) {
      duration.record(ms / 1000, { call: what, status: String(status) })
    },
    async scrape() {
      const { resourceMetrics } = await prometheus.collect()
      return serializer.serialize(resourceMetrics)
    },
    close: () => provider.shutdown(),
  }
}

type Meter = ReturnType<
  InstanceType<typeof import('@opentelemetry/sdk-metrics').MeterProvider>['getMeter']
>

/** Measures the event-loop delay, which every waiting request adds to its latency. */
function observeDelay(meter: Meter): void {
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  meter
    .createObservableGauge('og.loop.delay', {
      unit: 's',
      description: 'how late the main thread comes, 99th percentile',
    })
    .addCallback((result) => {
      result.observe(delay.percentile(99) / 1e9)
      delay.reset()
    })
}

async function openTraces(resource: Resource) {
  const { BasicTracerProvider, BatchSpanProcessor } = await import('@opentelemetry/sdk-trace-base')
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http')
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = await import('@opentelemetry/api')
  const spanProcessors = [new BatchSpanProcessor(new OTLPTraceExporter())]
  const provider = new BasicTracerProvider({ resource, spanProcessors })
  const tracer = provider.getTracer('og')
  return {
    observe({ key, what, library, status, startedAt, ms, traceparent }: ServedCall) {
      const caller = spanContextOf(traceparent)
      const parent = caller === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, caller)
      const attributes = {
        'og.call': what,
        'og.status': String(status),
        ...(key !== null && { 'og.key': key }),
        ...(library !== null && { 'og.library': library }),
      }
      const started = { startTime: startedAt, kind: SpanKind.SERVER, attributes }
      const span = tracer.startSpan(what, started, parent)
      if (isFailure(status)) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end(startedAt + ms)
    },
    close: () => provider.shutdown(),
  }
}

function isFailure(status: ServedCall['status']): boolean {
  return typeof status === 'number' ? status >= 500 : status === 'error'
}

/** Returns the caller's span from the W3C header; null if the header is missing or invalid. */
function spanContextOf(traceparent: string | null) {
  const [, traceId, spanId, flags] =
    /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceparent ?? '') ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return null
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
}

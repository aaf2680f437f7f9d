import { version } from '../../../../package.json'
import { expandPath } from '../../../config/paths.ts'
import type { Observer } from '../../../mcp/served-call.ts'
import type { Og } from '../../../open.ts'
import { escapeControls, OgError } from '../../../platform/error.ts'
import type { Context } from '../../context.ts'

/** Settings of audit, metrics and traces. `audit` is a file or `-`. */
export type WatchOptions = { audit: string | null; hasQueries: boolean; isScraped: boolean }

type WatchTyped = { audit: string | null; 'audit-queries': boolean; metrics: boolean }

export function watchOptionsOf({
  audit,
  'audit-queries': hasQueries,
  metrics,
}: WatchTyped): WatchOptions {
  if (hasQueries && audit === null) throw new OgError('Option "--audit-queries" needs "--audit"')
  return { audit, hasQueries, isScraped: metrics }
}

type CallWatch = AsyncDisposable & {
  /** Null if nothing observes calls. */
  observe: Observer | null
  /** Null if metrics are not exposed. */
  scrape: (() => Promise<string>) | null
}

/** Opens the observers that the options or the OpenTelemetry variables enable. */
export async function openWatch(
  og: Og,
  { audit, hasQueries, isScraped }: WatchOptions,
  { env, warn }: { env: Context['env']; warn(line: string): void },
): Promise<CallWatch> {
  const observers: Observer[] = []
  if (audit !== null) {
    const { openAudit } = await import('../../../mcp/team/audit.ts')
    const write = (line: string) => void process.stderr.write(escapeControls(line))
    const path = audit === '-' ? audit : expandPath(audit, env)
    observers.push(openAudit(path, { hasQueries, write, warn }))
  }
  const { openTelemetry, telemetrySignals } = await import('../../../mcp/team/telemetry.ts')
  const { metrics, traces } = telemetrySignals(env)
  const isAsked = isScraped || metrics || traces
  const telemetry = isAsked ? await openTelemetry(og, { env, version }) : null
  if (telemetry !== null) observers.push(telemetry.observe)
  return {
    observe: observers.length === 0 ? null : (call) => observers.forEach((tell) => tell(call)),
    scrape: isScraped ? (telemetry?.scrape ?? null) : null,
    [Symbol.asyncDispose]: async () => telemetry?.[Symbol.asyncDispose](),
  }
}

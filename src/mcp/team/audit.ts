import { appendFileSync, closeSync, openSync } from 'node:fs'
import { messageOf, OgError } from '../../platform/error.ts'
import { jsonText } from '../../platform/json.ts'
import type { Observer, ServedCall } from '../served-call.ts'

type CallAuditOptions = {
  /** Whether lines contain the query, which can reveal more about a user than the other fields. */
  hasQueries: boolean
  write(line: string): void
  warn(line: string): void
}

/**
 * Writes a JSON line for each call: client, tool, library, duration and outcome. The file is opened
 * for each line, so that it can be rotated and `kill -9` loses no written line.
 * @param path `-` sends lines to `write`
 * @throws OgError if the file cannot be written now; later failures cause one warning a minute
 */
export function openAudit(path: string, { hasQueries, write, warn }: CallAuditOptions): Observer {
  if (path !== '-') createPrivate(path)
  let warnedAt = -Infinity
  const append = (line: string) => {
    try {
      appendFileSync(path, line, { mode: 0o600 })
    } catch (error) {
      if (performance.now() - warnedAt < 60_000) return
      warnedAt = performance.now()
      warn(`cannot write the audit to ${path}: ${messageOf(error)}`)
    }
  }
  const writeLine = path === '-' ? write : append
  return (call) => writeLine(auditLine(call, hasQueries))
}

export function auditLine(call: ServedCall, hasQuery: boolean): string {
  const { key, what, library, status, startedAt, ms, query } = call
  return jsonText(
    {
      at: new Date(startedAt).toISOString(),
      key,
      tool: what,
      library,
      ms: Math.round(ms * 10) / 10,
      status,
      ...(hasQuery && query !== null ? { query } : {}),
    },
    0,
  )
}

/** Creates a file that only its owner can read. An existing file keeps its mode. */
function createPrivate(path: string): void {
  try {
    closeSync(openSync(path, 'a', 0o600))
  } catch (cause) {
    throw new OgError(`Cannot write the audit to ${path}: ${messageOf(cause)}`, {
      hint: 'give a file with --audit, or - for stderr',
      cause,
    })
  }
}

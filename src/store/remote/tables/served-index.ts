import type { Table } from '@lancedb/lancedb'
import { messageOf } from '../../../platform/error.ts'
import { trainingOptions } from '../../chunks/vector-index.ts'
import { loadLance } from '../../lance.ts'
import { statusOf } from './host-tables.ts'

/** Time limit for a service to index one table, in seconds. */
export const indexSeconds = 1800

const name = 'vector_idx'

/** Statuses of a service that does not support such an index. Any other status is an error. */
const refusals = ['400', '404', '405', '422', '501']

/**
 * Has a service index the vectors of a table by the first kind that it supports, and waits for it.
 * Without an index, exact search serves, and a warning tells why.
 * @returns the kind of the index; null if there is none
 */
export async function buildServedIndex(
  table: Table,
  { parts, place, warn }: { parts: number; place: string; warn: (line: string) => void },
): Promise<string | null> {
  const { Index } = await loadLance()
  // For a catalog, LanceDB builds the index on this machine.
  const options = { ...trainingOptions, numPartitions: parts }
  const kinds = [
    { kind: 'IVF_RQ', config: Index.ivfRq({ ...options, numBits: 1 }) },
    { kind: 'IVF_PQ', config: Index.ivfPq(options) },
  ]
  const none = (why: string) => {
    warn(`${place} has no index of the vectors of ${table.name}: ${why}; exact search serves`)
    return null
  }
  for (const { kind, config } of kinds) {
    const status = await table.createIndex('vector', { config, name }).then(() => null, refusal)
    if (status !== null) continue
    const isBuilt = await table.waitForIndex([name], indexSeconds).then(() => true, untilLate)
    return isBuilt ? kind : none(`it takes longer than ${indexSeconds} s`)
  }
  return none('it builds none of the kinds that og asks for')
}

function refusal(error: unknown): string {
  const status = statusOf(error)
  if (status !== null && refusals.includes(status)) return status
  throw error
}

function untilLate(error: unknown): false {
  if (/^Timeout error/.exec(messageOf(error)) !== null) return false
  throw error
}
